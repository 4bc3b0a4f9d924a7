//! How a scenario describes what stands on a path; each part is declared beside what it describes.

pub use crate::ack_filter::FilterSpec;
pub use crate::link::LinkSpec;
pub use crate::loss::{GilbertElliott, LossPlace, LossSpec, LossTarget, Stay};
pub use crate::queue::QueueSpec;
pub use crate::server::{RateSpec, VaryingRate};
pub use crate::stage::StageSpec;

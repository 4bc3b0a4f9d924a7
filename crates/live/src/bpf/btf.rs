//! The running kernel's description of its types (BTF, `/sys/kernel/btf/vmlinux`): where a structure keeps a field.

use std::fmt;

/// A type's place in the description; what the kernel wants to hear.
pub type TypeId = u32;

const MAGIC: u16 = 0xeb9f;
const STRUCT: u32 = 4;
const UNION: u32 = 5;

/// A description that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBtf;

impl fmt::Display for NoBtf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the kernel's description of its types (BTF) cannot be read")
    }
}

/// A kernel's types.
#[derive(Clone, Debug)]
pub struct Btf<'a> {
    bytes: &'a [u8],
    /// Where each type begins; type 0 is no type.
    types: Vec<usize>,
    strings: usize,
}

/// One member of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member<'a> {
    /// Empty where the member is a structure of which the members are used as one's own.
    pub name: &'a str,
    /// Its type.
    pub id: TypeId,
    /// Bits from the beginning.
    pub bits: u32,
}

impl<'a> Btf<'a> {
    /// Finds the types in a description of this machine's byte order.
    ///
    /// # Errors
    /// Where it is no table of types, or is cut off.
    pub fn read(bytes: &'a [u8]) -> Result<Btf<'a>, NoBtf> {
        let mut btf = Btf { bytes, types: vec![0], strings: 0 };
        let magic = bytes.get(..2).and_then(|two| two.try_into().ok()).map(u16::from_ne_bytes);
        if magic != Some(MAGIC) {
            return Err(NoBtf);
        }
        let header = btf.number(4)? as usize;
        let (start, length) = (header + btf.number(8)? as usize, btf.number(12)? as usize);
        btf.strings = header + btf.number(16)? as usize;
        let (mut at, end) = (start, start + length);
        if bytes.len() < end.max(btf.strings + btf.number(20)? as usize) {
            return Err(NoBtf);
        }
        while at < end {
            btf.types.push(at);
            let (kind, count) = btf.kind(at)?;
            at += 12
                + match kind {
                    1 | 14 | 17 => 4,
                    3 => 12,
                    STRUCT | UNION | 15 | 19 => 12 * count,
                    6 | 13 => 8 * count,
                    2 | 7..=12 | 16 | 18 => 0,
                    _ => return Err(NoBtf),
                };
        }
        Ok(btf)
    }

    fn number(&self, at: usize) -> Result<u32, NoBtf> {
        let four = self.bytes.get(at..at + 4).and_then(|four| four.try_into().ok()).ok_or(NoBtf)?;
        Ok(u32::from_ne_bytes(four))
    }

    fn kind(&self, at: usize) -> Result<(u32, usize), NoBtf> {
        let info = self.number(at + 4)?;
        Ok((info >> 24 & 0x1f, (info & 0xffff) as usize))
    }

    fn text(&self, offset: u32) -> Option<&'a str> {
        let rest = self.bytes.get(self.strings + offset as usize..)?;
        let length = rest.iter().position(|&byte| byte == 0)?;
        std::str::from_utf8(&rest[..length]).ok()
    }

    /// The structure of that name.
    pub fn structure(&self, name: &str) -> Option<TypeId> {
        let is_it = |&at: &usize| {
            matches!(self.kind(at), Ok((STRUCT, _)))
                && self.number(at).ok().and_then(|offset| self.text(offset)) == Some(name)
        };
        self.types.iter().skip(1).position(is_it).map(|place| place as TypeId + 1)
    }

    /// A structure's size in bytes.
    pub fn size(&self, id: TypeId) -> Option<u32> {
        self.number(*self.types.get(id as usize)? + 8).ok()
    }

    /// The members of a structure or union, in order; of anything else none.
    pub fn members(&self, id: TypeId) -> Vec<Member<'a>> {
        let Some(&at) = self.types.get(id as usize).filter(|&&at| at > 0) else { return Vec::new() };
        let Ok((STRUCT | UNION, count)) = self.kind(at) else { return Vec::new() };
        let bit_fields = self.number(at + 4).is_ok_and(|info| info >> 31 == 1);
        let member = |index: usize| {
            let at = at + 12 + 12 * index;
            let bits = self.number(at + 8).ok()?;
            let bits = if bit_fields { bits & 0x00ff_ffff } else { bits };
            Some(Member { name: self.text(self.number(at).ok()?)?, id: self.number(at + 4).ok()?, bits })
        };
        (0..count).filter_map(member).collect()
    }

    /// Bytes from a structure's beginning to a field.
    pub fn offset(&self, id: TypeId, field: &str) -> Option<u32> {
        self.bits(id, field).map(|bits| bits / 8)
    }

    /// Bits from a structure's beginning to a field, which may stand in a nameless part of it.
    pub fn bits(&self, id: TypeId, field: &str) -> Option<u32> {
        self.bits_within(id, field, 4)
    }

    fn bits_within(&self, id: TypeId, field: &str, depth: u32) -> Option<u32> {
        let members = self.members(id);
        if let Some(member) = members.iter().find(|member| member.name == field) {
            return Some(member.bits);
        }
        let inside =
            |member: &Member<'_>| Some(member.bits + self.bits_within(member.id, field, depth.checked_sub(1)?)?);
        members.iter().filter(|member| member.name.is_empty()).find_map(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `int`, a nameless union of `a` and `b`, `struct s { int first; union; int last : 3; }`.
    fn description() -> Vec<u8> {
        let strings = b"\0int\0a\0b\0s\0first\0last\0";
        let types: [&[u32]; 3] = [
            &[1, 1 << 24, 4, 32],
            &[0, UNION << 24 | 2, 8, 5, 1, 0, 7, 1, 0],
            &[9, 1 << 31 | STRUCT << 24 | 3, 20, 11, 1, 0, 0, 2, 64, 17, 1, 3 << 24 | 133],
        ];
        let types: Vec<u8> = types.concat().iter().flat_map(|number| number.to_ne_bytes()).collect();
        let mut bytes = Vec::new();
        bytes.extend(MAGIC.to_ne_bytes());
        bytes.extend([1, 0]);
        for number in [24, 0, types.len() as u32, types.len() as u32, strings.len() as u32] {
            bytes.extend(number.to_ne_bytes());
        }
        bytes.extend(types);
        bytes.extend(strings);
        bytes
    }

    #[test]
    fn fields_are_found_in_structures_and_in_their_nameless_parts() {
        let bytes = description();
        let btf = Btf::read(&bytes).unwrap();
        assert_eq!((btf.structure("s"), btf.structure("int"), btf.size(3)), (Some(3), None, Some(20)));
        let offsets = ["first", "a", "b", "last", "c"].map(|field| btf.offset(3, field));
        assert_eq!(offsets, [Some(0), Some(8), Some(8), Some(16), None]);
        assert_eq!((btf.bits(3, "b"), btf.bits(3, "last")), (Some(64), Some(133)));
        assert_eq!(btf.members(3)[2], Member { name: "last", id: 1, bits: 133 });
    }

    #[test]
    fn what_is_cut_off_is_no_description() {
        let bytes = description();
        assert!((0..100).all(|length| Btf::read(&bytes[..length]).is_err()));
        assert!(Btf::read(b"\x7fELF and so on, as long as a header").is_err());
    }
}

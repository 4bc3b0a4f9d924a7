// The stretch of time that every chart shows, and the time the reader points at.

export class View {
  end = 0;
  from = 0;
  to = 0;
  cursor = null;
  past = [];
  gesture = null;
  watchers = [];

  constructor(end) {
    this.renew(end);
  }

  watch(watcher) {
    this.watchers.push(watcher);
  }

  tell(what) {
    for (const watcher of this.watchers) watcher(what);
  }

  get span() {
    return this.to - this.from;
  }

  get whole() {
    return this.from <= 0 && this.to >= this.end;
  }

  // Show [from, to]. Changes of one gesture (a drag, a turn of the wheel) are one step that back() undoes.
  show(from, to, gesture = {}) {
    let span = Math.min(Math.max(to - from, this.least), this.end);
    let start = Math.min(Math.max(from, 0), this.end - span);
    if (span >= this.end * 0.99999) [start, span] = [0, this.end];
    if (start === this.from && start + span === this.to) return;
    if (gesture !== this.gesture && gesture) this.past.push([this.from, this.to]);
    if (this.past.length > 100) this.past.shift();
    this.gesture = gesture;
    this.from = start;
    this.to = start + span;
    this.tell("range");
  }

  zoom(factor, at = (this.from + this.to) / 2, gesture = {}) {
    const span = this.span / factor;
    const share = (at - this.from) / this.span;
    this.show(at - share * span, at + (1 - share) * span, gesture);
  }

  pan(seconds, gesture = {}) {
    this.show(this.from + seconds, this.to + seconds, gesture);
  }

  // Other runs: what was whole stays whole.
  renew(end) {
    const { whole } = this;
    this.end = end > 0 ? end : 1;
    this.least = Math.max(this.end * 1e-9, 1e-8);
    if (whole || this.from >= this.end) [this.from, this.to, this.past] = [0, this.end, []];
    this.to = Math.min(this.to, this.end);
    this.cursor = null;
    this.tell("range");
  }

  reset() {
    this.show(0, this.end);
  }

  back() {
    const last = this.past.pop();
    if (last) this.show(last[0], last[1], null);
  }

  point(time) {
    if (time === this.cursor) return;
    this.cursor = time;
    this.tell("cursor");
  }
}

// Time in a recording: a slider, the curve of live memory, and the state of each node at a moment.

const CURVE = 84;    // pixels of height
const SHOWN = 700;     // milliseconds that an event is shown for, where there are few
const FRAME = 33;      // and where there are many: then several pass at once
const WHOLE = 40000;   // milliseconds that playing from end to end takes at most
const SPEEDS = [1, 2, 4, 0.5];

class Timeline {
  constructor(data, page) {
    this.data = data;
    this.page = page;
    const times = new Set([0, data.duration]);
    for (const column of [data.made, data.ran, data.freed]) {
      for (const time of column) if (time >= 0) times.add(time);
    }
    for (const [time] of data.curve) times.add(time);
    this.moments = Float64Array.from(times).sort();
    this.bytes = this.liveBytes();
    this.place = 0;
    this.playing = 0;
    this.speed = SPEEDS[0];
    this.build();
    this.happened = this.happenings();
    this.go(Number(location.hash.replace("#event-", "")) || 0);
  }

  get time() { return this.moments[this.place]; }

  build() {
    const section = document.getElementById("timeline");
    section.hidden = false;
    const row = element("div", "", "row");
    this.play = element("button", "▶ Play");
    this.play.title = "Play, or stop (space)";
    this.back = element("button", "◀");
    this.back.setAttribute("aria-label", "One event back");
    this.back.title = "One event back ( , )";
    this.on = element("button", "▶");
    this.on.setAttribute("aria-label", "One event on");
    this.on.title = "One event on ( . )";
    this.pace = element("button", "1×");
    this.pace.title = "How fast it plays";
    this.said = document.createElement("output");
    row.append(this.play, this.back, this.on, this.pace, this.said);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Live memory over the events of the recording; at most ${sizeText(this.data.peak[1])}`);
    this.slider = document.createElement("input");
    Object.assign(this.slider, { type: "range", min: 0, max: this.moments.length - 1, step: 1 });
    this.slider.setAttribute("aria-label", "Event of the recording");
    section.append(row, this.canvas, this.slider);
    this.context = this.canvas.getContext("2d");
    this.play.addEventListener("click", () => this.toggle());
    this.back.addEventListener("click", () => this.step(-1));
    this.on.addEventListener("click", () => this.step(1));
    this.pace.addEventListener("click", () => this.nextSpeed());
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    this.slider.addEventListener("keydown", (event) => {
      if (event.key !== " ") return;
      event.preventDefault();
      this.toggle();
    });
    this.canvas.addEventListener("pointerdown", (event) => this.point(event));
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons) this.point(event); });
    new ResizeObserver(() => this.draw()).observe(section);
  }

  // For each moment the nodes that something happens to, and what.
  happenings() {
    const found = new Map();
    for (const [what, column] of [["freed", this.data.freed], ["run backward", this.data.ran], ["made", this.data.made]]) {
      column.forEach((time, place) => {
        if (time < 0) return;
        if (!found.has(time)) found.set(time, []);
        found.get(time).push([what, place + 1]);
      });
    }
    return found;
  }

  // ---- moving ----

  go(place) {
    this.place = Math.max(0, Math.min(this.moments.length - 1, place));
    const events = this.happened.get(this.time) ?? [];
    const { scene } = this.page.pictures[0];
    this.now = new Set(events.map(([, number]) => scene.shown(number)));
    this.slider.value = this.place;
    const words = events.slice(0, 2).map(([what, number]) => `#${number} ${scene.kind(number).op} ${what}`);
    if (events.length > 2) words.push(`and ${events.length - 2} more`);
    const text = [
      `event ${this.place.toLocaleString("en")} of ${(this.moments.length - 1).toLocaleString("en")}`,
      timeText(this.time), this.phase(this.time), `${sizeText(this.bytes[this.place])} live`, words.join(", "),
    ].filter(Boolean).join(" · ");
    this.said.textContent = text;
    this.slider.setAttribute("aria-valuetext", text);
    this.draw();
    const [picture] = this.page.pictures;
    picture.follow(this.now);
    picture.redraw();
  }

  step(by) {
    this.stop();
    this.go(this.place + by);
  }

  toggle() {
    if (this.playing) {
      this.stop();
      return;
    }
    if (this.place === this.moments.length - 1) this.go(0);
    const [shown, stride] = this.rhythm();
    this.play.textContent = "■ Stop";
    this.playing = setInterval(() => {
      this.go(this.place + stride);
      if (this.place === this.moments.length - 1) this.stop();
    }, shown);
  }

  // How long each event is shown, in milliseconds, and how many pass at once.
  rhythm() {
    const each = Math.min(SHOWN, WHOLE / this.moments.length) / this.speed;
    return each >= FRAME ? [each, 1] : [FRAME, Math.ceil(FRAME / each)];
  }

  nextSpeed() {
    this.speed = SPEEDS[(SPEEDS.indexOf(this.speed) + 1) % SPEEDS.length];
    this.pace.textContent = `${this.speed}×`;
    if (!this.playing) return;
    this.stop();
    this.toggle();
  }

  stop() {
    clearInterval(this.playing);
    this.playing = 0;
    this.play.textContent = "▶ Play";
  }

  point(event) {
    const frame = this.canvas.getBoundingClientRect();
    this.stop();
    this.go(Math.round(((event.clientX - frame.left) / frame.width) * (this.moments.length - 1)));
  }

  // ---- what is at a moment ----

  // The live bytes at each moment.
  liveBytes() {
    const { curve } = this.data;
    const bytes = new Float64Array(this.moments.length);
    let at = -1;
    this.moments.forEach((time, place) => {
      while (at + 1 < curve.length && curve[at + 1][0] <= time) at++;
      bytes[place] = at < 0 ? 0 : curve[at][1];
    });
    return bytes;
  }

  phase(time) {
    return this.data.phases.findLast(([start]) => start <= time)?.[1] ?? "";
  }

  state(number) {
    const { made, ran, freed } = this.data;
    if (made[number - 1] > this.time) return "unmade";
    if (freed[number - 1] >= 0 && freed[number - 1] <= this.time) return "freed";
    return ran[number - 1] >= 0 && ran[number - 1] <= this.time ? "ran" : "live";
  }

  look(number, look) {
    const { scene } = this.page.pictures[0];
    const now = this.now.has(number);
    if (scene.isGroup(number)) return { ...this.groupLook(number, look, scene), now };
    const state = this.state(number);
    if (state === "unmade") return { mark: "unmade", lines: look.lines, now };
    const arrived = state === "ran" || state === "freed";
    const lines = look.lines.map((line) => (arrived || !line.startsWith("gradient ") ? line : "no gradient yet"));
    const last = lines[lines.length - 1];
    let text = last;
    if (look.mark === "live") text = { live: last, ran: "ran, still kept", freed: "freed" }[state];
    else if (state !== "live") text = `${last}, ${state === "ran" ? "ran" : "gone"}`;
    const mark = state === "freed" ? "freed" : look.mark;
    return { mark, lines: [...lines.slice(0, -1), text], now };
  }

  groupLook(number, look, scene) {
    const [first, last] = scene.span(number);
    const counts = { unmade: 0, live: 0, ran: 0, freed: 0 };
    for (let node = first; node <= last; node++) counts[this.state(node)]++;
    const all = last - first + 1;
    if (counts.unmade === all) return { mark: "unmade", lines: look.lines };
    const of = (count, what) => `${count.toLocaleString("en")} of ${all.toLocaleString("en")} ${what}`;
    let text = look.lines[1];
    if (counts.unmade) text = of(all - counts.unmade, "made");
    else if (counts.freed === all) text = `all ${all.toLocaleString("en")} freed`;
    else if (counts.freed) text = of(counts.freed, "freed");
    return { mark: counts.freed === all ? "freed" : look.mark, lines: [look.lines[0], text] };
  }

  // More facts on a node, for the details.
  facts(number) {
    const { made, ran, freed } = this.data;
    const at = (time) => (time < 0 ? "not in the recording" : timeText(time));
    return [["made", at(made[number - 1])], ["ran", at(ran[number - 1])], ["freed", at(freed[number - 1])]];
  }

  // For each line of a file its nodes and the time it took.
  amounts(file) {
    const { scene } = this.page.pictures[0];
    const amounts = new Map();
    for (const [name, line, phases] of this.data.lines) {
      if (name !== file) continue;
      const amount = Object.values(phases).reduce((sum, each) => sum + each, 0);
      const title = Object.entries(phases).map(([phase, time]) => `${phase} ${timeText(time)}`).join(", ");
      amounts.set(line, { amount, nodes: [], text: timeText(amount), title });
    }
    for (let number = scene.count; number > 0; number--) {
      const kind = scene.kind(number);
      if (kind.file === file) amounts.get(kind.line)?.nodes.push(number);
    }
    return amounts;
  }

  // ---- the curve ----

  draw() {
    const { context, canvas, moments } = this;
    const { ink, soft, live, accent, line } = this.page.pictures[0].colours;
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth;
    canvas.width = Math.max(1, width * ratio);
    canvas.height = CURVE * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = FONT;
    const top = 18, bottom = CURVE - 20, highest = this.data.peak[1] || 1;
    const x = (place) => (place / Math.max(1, moments.length - 1)) * width;
    const y = (bytes) => bottom - (bytes / highest) * (bottom - top);
    context.beginPath();
    context.moveTo(0, bottom);
    const stride = Math.max(1, Math.floor(moments.length / (2 * width)));
    for (let place = 0; place < moments.length; place += stride) {
      let bytes = 0;
      for (let each = place; each < Math.min(place + stride, moments.length); each++) {
        bytes = Math.max(bytes, this.bytes[each]);
      }
      context.lineTo(x(place), y(bytes));
      context.lineTo(x(Math.min(place + stride, moments.length - 1)), y(bytes));
    }
    context.lineTo(width, bottom);
    context.fillStyle = live;
    context.fill();
    context.strokeStyle = line;
    context.stroke();
    context.textBaseline = "alphabetic";
    this.drawPhases(x, bottom, soft, line);
    const peak = moments.indexOf(this.data.peak[0]);
    context.fillStyle = ink;
    context.textAlign = x(peak) > width / 2 ? "right" : "left";
    context.fillText(`▼ peak ${sizeText(highest)} ${this.data.peak[2]}`, Math.max(4, x(peak)), 12);
    context.fillStyle = accent;
    context.fillRect(Math.min(width - 2, x(this.place)), 0, 2, CURVE);
  }

  drawPhases(x, bottom, soft, line) {
    const { context, moments } = this;
    context.textAlign = "left";
    let free = 0;
    for (const [start, phase] of this.data.phases) {
      const left = x(moments.findIndex((time) => time >= start));
      context.strokeStyle = line;
      context.beginPath();
      context.moveTo(left, bottom - 4);
      context.lineTo(left, CURVE);
      context.stroke();
      if (left < free) continue;
      context.fillStyle = soft;
      context.fillText(phase, left + 4, CURVE - 5);
      free = left + context.measureText(phase).width + 12;
    }
  }
}

function timeText(time) {
  if (time < 1e3) return `${time} ns`;
  if (time < 1e6) return `${(time / 1e3).toFixed(1)} µs`;
  return time < 1e9 ? `${(time / 1e6).toFixed(1)} ms` : `${(time / 1e9).toFixed(2)} s`;
}

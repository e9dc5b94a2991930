// A picture on a canvas: what can be seen of it, and pointers and keys that move it.

const FONT = "12px ui-monospace, monospace";
const LINE = 17;
const LEAST_TEXT = 0.36;    // scale under which no text is drawn
const LEAST_DASH = 0.2;     // scale under which lines are not dashed
const LEAST_GROUP = 16;     // pixels of height under which an open group is drawn as one box

class Picture {
  constructor(scene, frame, label, page) {
    this.scene = scene;
    this.placement = new Placement(scene);
    this.page = page;
    this.selected = 0;
    this.related = new Set();
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.moved = false;      // whether the user has chosen what part of the picture is seen
    this.waiting = false;
    this.drawn = 0;
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `${label}. Arrow keys follow the graph; question mark lists all keys.`);
    frame.append(this.canvas);
    this.context = this.canvas.getContext("2d");
    this.readColours();
    new ResizeObserver(() => this.resize()).observe(frame);
    this.listen();
    this.resize();
  }

  readColours() {
    const style = getComputedStyle(document.documentElement);
    const names = ["ink", "soft", "paper", "line", "live", "leaf", "group", "accent", "added"];
    this.colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`)]));
    this.redraw();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    this.canvas.width = Math.max(1, Math.round(clientWidth * ratio));
    this.canvas.height = Math.max(1, Math.round(clientHeight * ratio));
    if (!this.moved) this.fit();
    this.redraw();
  }

  // ---- view ----

  fit() {
    this.moved = false;
    const { width, height } = this.placement.box(this.scene.root);
    const { clientWidth, clientHeight } = this.canvas;
    if (!width || clientWidth < 60 || clientHeight < 60) return;
    const whole = Math.min((clientWidth - 40) / width, (clientHeight - 40) / height);
    if (whole >= LEAST_TEXT + 0.1) {
      this.fitWhole();
      return;
    }
    if (this.page.data.timeline) {
      this.showFirst();
      return;
    }
    // What is too large to be read as a whole is shown from where the roots are.
    this.scale = Math.min(0.8, Math.max(0.5, (clientWidth - 40) / width));
    const root = this.placement.box(this.scene.shown(this.page.firstRoot(this)));
    this.x = clientWidth / 2 - (root.x + root.width / 2) * this.scale;
    this.y = clientHeight - 40 - (root.y + root.height) * this.scale;
    this.redraw();
  }

  // Show the node that was made first, large enough to be read: the view goes along with a recording.
  showFirst() {
    const first = this.placement.box(this.scene.shown(this.scene.count));
    this.scale = 0.8;
    this.x = this.canvas.clientWidth / 2 - (first.x + first.width / 2) * this.scale;
    this.y = 40 - first.y * this.scale;
    this.redraw();
  }

  fitWhole() {
    const { width, height } = this.placement.box(this.scene.root);
    const { clientWidth, clientHeight } = this.canvas;
    const whole = Math.min((clientWidth - 40) / width, (clientHeight - 40) / height);
    this.scale = Math.max(1e-5, Math.min(1.2, whole));
    this.x = (clientWidth - width * this.scale) / 2;
    this.y = (clientHeight - height * this.scale) / 2;
    this.redraw();
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    this.moved = true;
    const scale = Math.min(4, Math.max(1e-5, this.scale * factor));
    this.x = x - (x - this.x) * (scale / this.scale);
    this.y = y - (y - this.y) * (scale / this.scale);
    this.scale = scale;
    this.redraw();
  }

  move(x, y) {
    this.moved = true;
    this.x += x;
    this.y += y;
    this.redraw();
  }

  // Move the picture as far as one of these boxes, to which something happens, is in view.
  follow(numbers) {
    const { clientWidth, clientHeight } = this.canvas;
    const boxes = [...numbers].map((number) => this.placement.box(number));
    const seen = ({ x, y, width, height }) => this.x + x * this.scale >= 0 && this.y + y * this.scale >= 0
      && this.x + (x + width) * this.scale <= clientWidth && this.y + (y + height) * this.scale <= clientHeight;
    if (!boxes.length || boxes.some(seen)) return;
    const [{ x, y, width, height }] = boxes;
    this.x = clientWidth / 2 - (x + width / 2) * this.scale;
    this.y = clientHeight / 2 - (y + height / 2) * this.scale;
  }

  // Move the picture so that a box can be seen, and read.
  show(number) {
    this.moved = true;
    const box = this.placement.box(this.scene.shown(number));
    const { clientWidth, clientHeight } = this.canvas;
    if (this.scale < 0.6) this.scale = 0.9;
    const left = this.x + box.x * this.scale, top = this.y + box.y * this.scale;
    const margin = 40;
    const inside = left >= margin && top >= margin
      && left + box.width * this.scale <= clientWidth - margin
      && top + Math.min(box.height * this.scale, 100) <= clientHeight - margin;
    if (!inside) {
      this.x = clientWidth / 2 - (box.x + box.width / 2) * this.scale;
      this.y = clientHeight / 2 - (box.y + Math.min(box.height, clientHeight / this.scale) / 2) * this.scale;
    }
    this.redraw();
  }

  // Open or close a group, with its box staying where it is on the screen.
  toggle(number) {
    this.moved = true;
    const before = this.placement.box(number);
    if (this.scene.isOpen(number)) this.scene.open.delete(number);
    else this.scene.open.add(number);
    this.placement.changed(number);
    const after = this.placement.box(number);
    this.x += (before.x + before.width / 2 - after.x - after.width / 2) * this.scale;
    this.y += (before.y - after.y) * this.scale;
    this.redraw();
  }

  select(number) {
    this.selected = number;
    this.related = new Set();
    if (number && !this.scene.isGroup(number)) {
      const near = [...this.scene.users(number), ...(number > 0 ? this.scene.operands(number) : [])];
      for (const each of near.slice(0, 2000)) {
        if (each !== null) this.related.add(this.scene.shown(each));
      }
    }
    this.redraw();
  }

  // ---- drawing ----

  redraw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const { context, canvas } = this;
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = this.colours.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(ratio * this.scale, 0, 0, ratio * this.scale, ratio * this.x, ratio * this.y);
    context.font = FONT;
    context.textBaseline = "middle";
    this.seen = {
      left: -this.x / this.scale, top: -this.y / this.scale,
      right: (canvas.clientWidth - this.x) / this.scale,
      bottom: (canvas.clientHeight - this.y) / this.scale,
    };
    this.drawn = 0;
    this.drawGroup(this.scene.root, 0, 0);
  }

  canSee(x, y, width, height) {
    const { left, top, right, bottom } = this.seen;
    return x <= right && x + width >= left && y <= bottom && y + height >= top;
  }

  drawGroup(number, left, top) {
    const placed = this.placement.of(number);
    this.drawLines(placed, left, top);
    for (const box of placed.boxes) {
      const x = left + box.x, y = top + box.y;
      if (!this.canSee(x, y, box.width, box.height)) continue;
      this.drawn++;
      const open = this.scene.isGroup(box.number) && this.scene.isOpen(box.number);
      if (open && box.height * this.scale >= LEAST_GROUP) {
        this.drawBorder(box, x, y);
        this.drawGroup(box.number, ...this.placement.inside(box, left, top));
      } else {
        this.drawBox(box, x, y);
      }
    }
  }

  drawLines(placed, left, top) {
    const { context } = this;
    const strong = [];
    context.beginPath();
    for (const line of placed.lines) {
      const upper = Math.min(line.from, line.y), lower = line.toY;
      if (top + upper > this.seen.bottom || top + lower < this.seen.top) continue;
      if (line.value === this.selected) strong.push(line);
      else this.trace(line, left, top);
    }
    context.strokeStyle = this.colours.line;
    context.lineWidth = Math.max(1.1, 0.5 / this.scale);
    context.stroke();
    if (strong.length) {
      context.beginPath();
      for (const line of strong) this.trace(line, left, top);
      context.strokeStyle = this.colours.accent;
      context.lineWidth = Math.max(3.5, 1.5 / this.scale);
      context.stroke();
    }
    if (this.scale < LEAST_TEXT) return;
    context.fillStyle = this.colours.line;
    context.beginPath();
    for (const { arrow, toX, toY } of placed.lines) {
      if (!arrow || top + toY < this.seen.top || top + toY > this.seen.bottom + 10) continue;
      context.moveTo(left + toX - 3.5, top + toY - 7);
      context.lineTo(left + toX + 3.5, top + toY - 7);
      context.lineTo(left + toX, top + toY);
    }
    context.fill();
  }

  trace({ x, from, y, toX, toY }, left, top) {
    const { context } = this;
    context.moveTo(left + x, top + from);
    if (y > from) context.lineTo(left + x, top + y);
    if (this.scale < 0.15 || x === toX) {
      context.lineTo(left + toX, top + toY);
      return;
    }
    const middle = top + (y + toY) / 2;
    context.bezierCurveTo(left + x, middle, left + toX, middle, left + toX, top + toY);
  }

  drawBorder(box, x, y) {
    const { context, colours, seen } = this;
    // Only what is near the frame: a dashed line of a million pixels takes seconds.
    const left = Math.max(x, seen.left - 20), top = Math.max(y, seen.top - 20);
    const right = Math.min(x + box.width, seen.right + 20);
    const bottom = Math.min(y + box.height, seen.bottom + 20);
    context.beginPath();
    context.roundRect(left, top, right - left, bottom - top, 6);
    this.strokeBox(box.number, "open");
    if (this.scale < LEAST_TEXT) return;
    context.fillStyle = colours.ink;
    context.font = `bold ${FONT}`;
    context.textAlign = "left";
    context.fillText(`− ${this.scene.look(box.number).lines[0]}`, x + 10, y + 14);
    context.font = FONT;
  }

  drawBox(box, x, y) {
    const { context, colours, scene } = this;
    const look = scene.look(box.number);
    const { mark, lines, now } = this.page.lookAt(this, box.number, look);
    if (mark === "unmade") {
      this.drawGhost(box, x, y);
      return;
    }
    if (mark === "freed" && this.page.timeline) context.globalAlpha = 0.55;
    context.beginPath();
    if (mark === "group") {
      context.roundRect(x + 4, y + 4, box.width, box.height, 5);
      context.fillStyle = colours.group;
      context.fill();
      this.strokeBox(box.number, mark);
      context.beginPath();
    }
    if (this.scale > 0.1) context.roundRect(x, y, box.width, box.height, mark === "leaf" ? box.height / 2 : 5);
    else context.rect(x, y, box.width, box.height);
    context.fillStyle = { live: colours.live, leaf: colours.leaf, group: colours.group }[mark] ?? colours.paper;
    const flag = scene.data.flags?.[box.number];
    if (flag) context.fillStyle = colours.added;
    context.fill();
    this.strokeBox(box.number, now && !this.selected ? "now" : mark);
    context.globalAlpha = 1;
    if (this.scale >= LEAST_TEXT) this.drawText(box, x, y, lines, mark, now ? "◆" : flag);
  }

  drawGhost(box, x, y) {
    const { context } = this;
    context.beginPath();
    context.roundRect(x, y, box.width, box.height, 5);
    context.setLineDash([1, 6]);
    context.lineWidth = 1;
    context.strokeStyle = this.colours.line;
    context.stroke();
    context.setLineDash([]);
  }

  strokeBox(number, mark) {
    const { context, colours } = this;
    const chosen = number === this.selected || (this.selected && number === this.chosenBox());
    const dashes = { freed: [5, 4], open: [1, 3] }[mark] ?? [];
    context.setLineDash(chosen || this.scale < LEAST_DASH ? [] : dashes);
    context.lineWidth = chosen ? Math.max(5, 2 / this.scale) : { live: 2.4, now: 4 }[mark] ?? 1.2;
    context.strokeStyle = chosen || this.related.has(number) ? colours.accent : colours.line;
    if (!chosen && this.related.has(number)) context.lineWidth = 3.5;
    context.stroke();
    context.setLineDash([]);
  }

  chosenBox() {
    return this.scene.isGroup(this.selected) ? this.selected : this.scene.shown(this.selected);
  }

  drawText(box, x, y, lines, mark, flag) {
    const { context, colours } = this;
    context.textAlign = "center";
    const middle = x + box.width / 2;
    let down = y + (box.height - lines.length * LINE) / 2 + LINE / 2;
    lines.forEach((text, place) => {
      context.font = place ? FONT : `bold ${FONT}`;
      context.fillStyle = place ? colours.soft : colours.ink;
      context.fillText(text, middle, down, box.width - 8);
      down += LINE;
    });
    context.font = `bold ${FONT}`;
    context.fillStyle = colours.ink;
    if (mark === "group") context.fillText("⊞", x + box.width - 9, y + 10);
    if (flag) context.fillText(flag, x + 9, y + 11);
    context.font = FONT;
  }

  // ---- pointers and keys ----

  // The innermost box under a point of the screen; open groups only by their titles and borders.
  at(screenX, screenY) {
    const x = (screenX - this.x) / this.scale, y = (screenY - this.y) / this.scale;
    let group = this.scene.root, left = 0, top = 0, found = 0;
    while (true) {
      const box = this.placement.of(group).boxes.find(
        (one) => x >= left + one.x && x <= left + one.x + one.width
          && y >= top + one.y && y <= top + one.y + one.height);
      if (!box) return found;
      found = box.number;
      if (!this.scene.isGroup(found) || !this.scene.isOpen(found)) return found;
      if (box.height * this.scale < LEAST_GROUP) return found;
      [left, top] = this.placement.inside(box, left, top);
      group = found;
    }
  }

  listen() {
    const { canvas } = this;
    const fingers = new Map();
    let moved = 0;
    const place = (event) => {
      const frame = canvas.getBoundingClientRect();
      return [event.clientX - frame.left, event.clientY - frame.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, place(event));
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (!before) return;
      const now = place(event);
      moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
      const others = [...fingers].filter(([id]) => id !== event.pointerId);
      if (others.length) this.pinch(before, now, others[0][1]);
      else if (moved > 4) this.move(now[0] - before[0], now[1] - before[1]);
      fingers.set(event.pointerId, now);
    });
    const leave = (event) => fingers.delete(event.pointerId);
    canvas.addEventListener("pointercancel", leave);
    canvas.addEventListener("pointerup", (event) => {
      if (fingers.size === 1 && moved <= 4) this.press(...place(event));
      leave(event);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || !event.shiftKey) this.zoom(Math.exp(-event.deltaY * 0.0015), ...place(event));
      else this.move(-event.deltaY, 0);
    }, { passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.page.activate(this));
  }

  // What lies between two fingers stays between them.
  pinch(before, now, other) {
    this.move((now[0] - before[0]) / 2, (now[1] - before[1]) / 2);
    const distance = ([x, y]) => Math.hypot(x - other[0], y - other[1]);
    this.zoom(distance(now) / Math.max(1, distance(before)), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
  }

  // A first press selects; one on a group opens or closes it as well.
  press(x, y) {
    const number = this.at(x, y);
    if (!number) return;
    if (this.scene.isGroup(number)) this.page.toggle(this, number);
    this.page.select(this, number, false);
  }

  key(event) {
    const arrows = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] };
    const arrow = arrows[event.key];
    if (arrow && event.shiftKey) this.move(-60 * arrow[0], -60 * arrow[1]);
    else if (arrow) this.page.select(this, this.next(arrow));
    else if (event.key === "Enter" && this.selected) {
      const number = this.chosenBox();
      if (this.scene.isGroup(number)) this.page.toggle(this, number);
      this.page.select(this, number);
    } else return;
    event.preventDefault();
  }

  // The box that an arrow leads to: along the lines of the group, or beside.
  next([across, down]) {
    if (!this.selected) return this.page.firstRoot(this);
    const number = this.chosenBox();
    const from = this.placement.box(number);
    const group = this.scene.parent(number) || this.scene.root;
    if (down > 0 && this.scene.isGroup(number) && this.scene.isOpen(number)) {
      return this.scene.group(number).parts.find((part) => part > 0);
    }
    const middle = [from.x + from.width / 2, from.y + from.height / 2];
    let best = 0, least = Infinity;
    for (const part of this.scene.group(group).parts) {
      if (part === number) continue;
      const box = this.placement.box(part);
      const right = box.x + box.width / 2 - middle[0], below = box.y + box.height / 2 - middle[1];
      const along = across ? right * across : below * down;
      const aside = Math.abs(across ? below : right);
      const beside = across ? along > 0 && aside < from.height : along > 0;
      const cost = along + (across ? 3 : 0.7) * aside;
      if (beside && cost < least) [best, least] = [part, cost];
    }
    return best || (group === this.scene.root ? number : group);
  }
}

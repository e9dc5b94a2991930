// The graph: nodes, leaves and groups by number (nodes from 1, groups after them, leaves negative).

class Scene {
  constructor(data) {
    this.data = data;
    this.count = data.nodes.kind.length;
    this.open = new Set(data.open);
    this.root = this.count + 1;
    this.above = new Int32Array(this.count + data.groups.length + 1);
    this.aboveLeaf = new Int32Array(data.leaves.length + 1);
    data.groups.forEach((group, place) => {
      for (const part of group.parts) {
        if (part > 0) this.above[part] = this.root + place;
        else this.aboveLeaf[-part] = this.root + place;
      }
    });
    this.usersOf = null;
  }

  isGroup(number) { return number > this.count; }
  isOpen(number) { return this.open.has(number); }
  group(number) { return this.data.groups[number - this.root]; }
  leaf(number) { return this.data.leaves[-number - 1]; }
  kind(number) { return this.data.kinds[this.data.nodes.kind[number - 1]]; }
  operands(number) { return this.data.nodes.operands[number - 1]; }

  look(number) {
    const place = number < 0 ? this.leaf(number).look
      : this.isGroup(number) ? this.group(number).look : this.data.nodes.look[number - 1];
    return this.data.looks[place];
  }

  parent(number) { return number > 0 ? this.above[number] : this.aboveLeaf[-number]; }

  // First and last number of the nodes in a group, which are consecutive.
  span(number) {
    if (!this.isGroup(number)) return [number, number];
    const group = this.group(number);
    if (!group.span) {
      const inner = group.parts.filter((part) => part > 0);
      const ends = [...this.span(inner[0]), ...this.span(inner[inner.length - 1])];
      group.span = [Math.min(...ends), Math.max(...ends)];
    }
    return group.span;
  }

  // The nodes that use a node or a leaf.
  users(number) {
    if (!this.usersOf) {
      this.usersOf = new Map();
      this.data.nodes.operands.forEach((operands, place) => {
        for (const operand of new Set(operands)) {
          if (operand === null) continue;
          if (!this.usersOf.has(operand)) this.usersOf.set(operand, []);
          this.usersOf.get(operand).push(place + 1);
        }
      });
    }
    return this.usersOf.get(number) ?? [];
  }

  // The memory that nodes keep together, in bytes: what several of them keep counts once.
  keptBytes(numbers) {
    const blocks = new Set();
    for (const number of numbers) {
      for (const block of this.data.nodes.blocks[number - 1]) blocks.add(block);
    }
    let bytes = 0;
    for (const block of blocks) bytes += this.data.blockSizes[block];
    return bytes;
  }

  // The number itself, or the closed group that stands for it in the picture.
  shown(number) {
    let seen = number;
    if (number < 0 && !this.aboveLeaf[-number]) seen = this.users(number)[0];
    for (let group = this.parent(seen); group; group = this.parent(group)) {
      if (!this.isOpen(group)) seen = group;
    }
    return seen;
  }

  reveal(number) {
    let changed = false;
    for (let group = this.parent(number); group; group = this.parent(group)) {
      if (!this.open.has(group)) changed = Boolean(this.open.add(group));
    }
    return changed;
  }

  // Open groups from the outermost on, as long as no more boxes than this are shown.
  openUpTo(boxes) {
    const waiting = [this.root];
    let shown = this.group(this.root).parts.length;
    this.open.add(this.root);
    for (let at = 0; at < waiting.length; at++) {
      for (const part of this.group(waiting[at]).parts) {
        if (!this.isGroup(part)) continue;
        shown += this.group(part).parts.length;
        if (shown > boxes) return false;
        this.open.add(part);
        waiting.push(part);
      }
    }
    return true;
  }

  title(number) {
    if (number < 0) return this.leaf(number).name;
    const [title, second] = this.look(number).lines;
    if (this.isGroup(number)) return title;
    const { module } = this.kind(number);
    return module && second === module ? `${module.split(".").pop()} ${title}` : title;
  }

  describe(number) {
    const flag = { "+": "added: ", "−": "removed: ", "~": "changed: " }[this.data.flags?.[number]] ?? "";
    return flag + this.description(number);
  }

  description(number) {
    if (number < 0) {
      const leaf = this.leaf(number);
      return `leaf ${leaf.name}, ${leaf.like}, ${countText(leaf.uses, "use")}`;
    }
    if (this.isGroup(number)) {
      const state = this.isOpen(number) ? "open" : "closed";
      return `${state} group ${this.look(number).lines.join(", ")}`;
    }
    const kind = this.kind(number);
    return [`node #${number} ${kind.op}`, kind.outputs.join(", "), kind.where, kind.text,
      stateText(kind)].filter(Boolean).join(", ");
  }
}

function stateText(kind) {
  if (kind.freed) return `freed by ${kind.freed[0]} #${kind.freed[1]}, ${kind.freed[2]}`;
  return kind.saved.length ? `keeps ${sizeText(kind.bytes)}` : "keeps nothing";
}

function sizeText(size) {
  let amount = size;
  for (const unit of ["B", "kB", "MB", "GB"]) {
    if (amount < 1000 || unit === "GB") return unit === "B" ? `${size} B` : `${amount.toFixed(1)} ${unit}`;
    amount /= 1000;
  }
}

function countText(number, word) {
  return `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
}

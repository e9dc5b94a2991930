// Coordinates: what pellucid/inspect/page/coordinates.py and drawing.py do, for the groups that are
// open at the moment. What a group needs is kept until something inside it opens or closes.

const BESIDE = 22, LINE_BESIDE = 10, BELOW = 30, SWEEPS = 6;
const PADDING = 16, TITLE = 29;

class Placement {
  constructor(scene) {
    this.scene = scene;
    this.placed = new Map();
  }

  // Forget a group and those around it.
  changed(number) {
    for (let group = number; group; group = this.scene.parent(group)) this.placed.delete(group);
  }

  allChanged() { this.placed.clear(); }

  of(number) {
    let placed = this.placed.get(number);
    if (!placed) this.placed.set(number, placed = this.place(number));
    return placed;
  }

  isOpen(number) { return this.scene.isGroup(number) && this.scene.isOpen(number); }

  size(number) {
    const size = this.scene.look(number).size;
    if (!this.isOpen(number)) return size;
    const placed = this.of(number);
    return [Math.max(placed.width, size[0]) + 2 * PADDING, placed.height + TITLE + PADDING];
  }

  // How far right of the middle of a part the line of a value meets it.
  port(number, value, incoming) {
    if (!this.isOpen(number)) return 0;
    const group = this.scene.group(number);
    const index = group.values.indexOf(value);
    const ports = this.scene.data.layers[group.layers][incoming ? "inlets" : "outlets"];
    const entry = ports.find(([each]) => each === index)?.[1];
    if (entry === undefined) return 0;
    const placed = this.of(number);
    return placed.across[entry] - placed.width / 2;
  }

  place(number) {
    const group = this.scene.group(number);
    const layers = this.scene.data.layers[group.layers];
    const { count, rows } = layers;
    const links = unrolled(layers);
    if (!rows.length) return { across: [], width: 0, height: 0, boxes: [], lines: [] };
    const sizes = group.parts.map((part) => this.size(part));
    const entries = rows.reduce((sum, row) => sum + row.length, 0);
    const widths = Array.from({ length: entries }, (_, entry) => sizes[entry]?.[0] ?? 0);
    const across = new Float64Array(entries);
    const near = { above: [], below: [], none: [] };
    for (let entry = 0; entry < entries; entry++) {
      near.above.push([]);
      near.below.push([]);
      near.none.push([]);
    }
    const shift = (entry, value, incoming) =>
      entry < count ? this.port(group.parts[entry], group.values[value], incoming) : 0;
    for (const [upper, lower, value] of links) {
      const offset = shift(upper, value, false) - shift(lower, value, true);
      near.above[lower].push([upper, offset]);
      near.below[upper].push([lower, -offset]);
    }
    for (const row of rows) placeRow(row, widths, count, across, near.none);
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      const upwards = sweep % 2 === 1;
      for (const row of upwards ? [...rows].reverse() : rows) {
        placeRow(row, widths, count, across, upwards ? near.below : near.above);
      }
    }
    let left = Infinity, right = -Infinity;
    for (let entry = 0; entry < entries; entry++) {
      left = Math.min(left, across[entry] - widths[entry] / 2);
      right = Math.max(right, across[entry] + widths[entry] / 2);
    }
    for (let entry = 0; entry < entries; entry++) across[entry] -= left;
    const placed = { across, width: right - left, height: -BELOW, boxes: [], lines: [] };
    const ends = new Array(entries);
    for (const row of rows) {
      const height = Math.max(0, ...row.filter((entry) => entry < count).map((e) => sizes[e][1]));
      const top = placed.height + BELOW;
      placed.height = top + height;
      for (const entry of row) {
        if (entry >= count) {
          ends[entry] = [top, top + height];
          continue;
        }
        const [width, own] = sizes[entry];
        const y = top + (height - own) / 2;
        ends[entry] = [y, y + own];
        placed.boxes.push({ number: group.parts[entry], x: across[entry] - width / 2, y, width, height: own });
      }
    }
    for (const [, entry] of layers.inlets) ends[entry][0] = -TITLE;
    for (const [, entry] of layers.outlets) ends[entry] = [placed.height + PADDING, placed.height + PADDING];
    for (const [upper, lower, value] of links) {
      const start = across[upper] + shift(upper, value, false);
      const stop = across[lower] + shift(lower, value, true);
      placed.lines.push({
        value: group.values[value],
        x: start, from: upper < count ? ends[upper][1] : ends[upper][0], y: ends[upper][1],
        toX: stop, toY: ends[lower][0], arrow: lower < count && !this.isOpen(group.parts[lower]),
      });
    }
    return placed;
  }

  // The rectangle of a box that is shown, in the coordinates of the whole picture.
  box(number) {
    const path = [];
    for (let each = number; each && each !== this.scene.root; each = this.scene.parent(each)) path.push(each);
    let x = 0, y = 0, box = null, group = this.scene.root;
    for (const each of path.reverse()) {
      if (box) [x, y] = this.inside(box, x, y);
      box = this.of(group).boxes.find((one) => one.number === each);
      group = each;
    }
    if (!box) return { x: 0, y: 0, width: this.of(group).width, height: this.of(group).height };
    return { x: x + box.x, y: y + box.y, width: box.width, height: box.height };
  }

  // Where the inside of an open group begins whose box is in a group that begins at x, y.
  inside(box, x, y) {
    return [x + box.x + (box.width - this.of(box.number).width) / 2, y + box.y + TITLE];
  }
}

// Least squares under a given order and gaps, by pooling adjacent violators.
function placeRow(row, widths, count, across, neighbours) {
  const offsets = [], blocks = [];
  let offset = 0;
  row.forEach((entry, place) => {
    if (place) {
      const before = row[place - 1];
      const gap = before < count || entry < count ? BESIDE : LINE_BESIDE;
      offset += (widths[before] + widths[entry]) / 2 + gap;
    }
    offsets.push(offset);
    const near = neighbours[entry];
    let wanted = across[entry];
    if (near.length) wanted = near.reduce((sum, [n, o]) => sum + across[n] + o, 0) / near.length;
    let mean = wanted - offset, weight = near.length ? 1 : 0.01, number = 1;
    while (blocks.length && blocks[blocks.length - 1][0] > mean) {
      const [before, heavy, many] = blocks.pop();
      mean = (mean * weight + before * heavy) / (weight + heavy);
      weight += heavy;
      number += many;
    }
    blocks.push([mean, weight, number]);
  });
  let index = 0;
  for (const [mean, , number] of blocks) {
    for (let each = 0; each < number; each++, index++) across[row[index]] = mean + offsets[index];
  }
}

// A link may stand for more, through points that follow one another.
function unrolled(layers) {
  layers.unrolled ??= layers.links.flatMap(([upper, lower, value, more]) => [
    [upper, lower, value],
    ...Array.from({ length: more }, (_, step) => [lower + step, lower + step + 1, value]),
  ]);
  return layers.unrolled;
}

// The outline: the same groups and nodes as a tree of rows, of which only those in sight exist.

const ROW = 24;

class Tree {
  constructor(element, page) {
    this.element = element;
    this.page = page;
    this.rows = [];
    this.current = 0;
    this.space = document.createElement("div");
    element.append(this.space);
    element.addEventListener("scroll", () => this.draw());
    element.addEventListener("keydown", (event) => this.key(event));
    element.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(element);
  }

  show(picture) {
    this.picture = picture;
    this.update();
  }

  update() {
    const { scene } = this.picture;
    this.rows = [];
    const add = (group, depth) => {
      const { parts } = scene.group(group);
      parts.forEach((number, place) => {
        this.rows.push({ number, depth, place: place + 1, of: parts.length });
        if (scene.isGroup(number) && scene.isOpen(number)) add(number, depth + 1);
      });
    };
    add(scene.root, 1);
    this.placeOf = new Map(this.rows.map((row, place) => [row.number, place]));
    this.space.style.height = `${this.rows.length * ROW}px`;
    this.select(this.picture.selected);
  }

  select(number) {
    const shown = number && this.picture.scene.shown(number);
    this.current = this.placeOf.get(number) ?? this.placeOf.get(shown) ?? this.current;
    this.current = Math.min(this.current, this.rows.length - 1);
    const top = this.current * ROW, { scrollTop, clientHeight } = this.element;
    if (number && (top < scrollTop || top + ROW > scrollTop + clientHeight)) {
      this.element.scrollTop = top - clientHeight / 2;
    }
    this.draw();
  }

  draw() {
    if (!this.picture) return;
    const { scene, selected } = this.picture;
    const first = Math.max(0, Math.floor(this.element.scrollTop / ROW) - 5);
    const last = Math.min(this.rows.length, first + Math.ceil(this.element.clientHeight / ROW) + 10);
    const wanted = this.rows.slice(first, last).map((row, place) => this.row(row, first + place, scene));
    const active = this.rows[this.current];
    if (active && (this.current < first || this.current >= last)) {
      wanted.push(this.row(active, this.current, scene));
    }
    this.space.replaceChildren(...wanted);
    if (active) this.element.setAttribute("aria-activedescendant", `row${this.current}`);
    this.element.dataset.selected = selected;
  }

  row({ number, depth, place, of }, index, scene) {
    const group = scene.isGroup(number);
    const row = document.createElement("div");
    row.className = index === this.current && this.picture.selected ? "row selected" : "row";
    row.id = `row${index}`;
    row.style.top = `${index * ROW}px`;
    row.style.paddingLeft = `${4 + 12 * (depth - 1)}px`;
    const facts = {
      role: "treeitem", "aria-level": depth, "aria-posinset": place, "aria-setsize": of,
      "aria-selected": index === this.current,
    };
    if (group) facts["aria-expanded"] = scene.isOpen(number);
    for (const [name, value] of Object.entries(facts)) row.setAttribute(name, value);
    const flag = scene.data.flags?.[number] ?? "";
    const twist = group ? (scene.isOpen(number) ? "▾" : "▸") : number < 0 ? "◦" : "";
    const note = group ? scene.group(number).nodes.toLocaleString("en")
      : number < 0 ? scene.leaf(number).like : `#${number}`;
    row.append(element("span", twist, "twist"), element("span", `${flag}${scene.title(number)}`, "name"),
      element("span", note, "note"), element("span", `, ${scene.describe(number)}`, "unseen"));
    row.firstChild.setAttribute("aria-hidden", "true");
    return row;
  }

  click(event) {
    const row = event.target.closest(".row");
    if (!row) return;
    const { number } = this.rows[Number(row.id.slice(3))];
    if (this.picture.scene.isGroup(number)) this.page.toggle(this.picture, number);
    this.page.select(this.picture, number);
  }

  key(event) {
    const row = this.rows[this.current];
    if (!row) return;
    const { scene } = this.picture;
    const group = scene.isGroup(row.number), open = group && scene.isOpen(row.number);
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in steps) {
      const start = this.picture.selected ? this.current + steps[event.key] : this.current;
      this.go(Math.max(0, Math.min(this.rows.length - 1, start)));
    } else if (event.key === "ArrowRight" && group) {
      if (open) this.go(this.current + 1);
      else this.page.toggle(this.picture, row.number);
    } else if (event.key === "ArrowLeft") {
      if (open) this.page.toggle(this.picture, row.number);
      else this.go(this.placeOf.get(scene.parent(row.number)) ?? this.current);
    } else if (event.key === "Enter") {
      if (group) this.page.toggle(this.picture, row.number);
      this.page.select(this.picture, row.number);
    } else return;
    event.preventDefault();
  }

  go(place) {
    this.current = place;
    this.page.select(this.picture, this.rows[place].number);
  }
}

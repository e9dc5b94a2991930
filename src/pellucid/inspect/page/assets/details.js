// What is selected: its facts, its neighbours, what it keeps, and its line in the source.

class Details {
  constructor(facts, source, page) {
    this.facts = facts;
    this.source = source;
    this.page = page;
    this.file = null;
  }

  show(picture, number) {
    this.picture = picture;
    this.facts.replaceChildren(...this.parts(picture.scene, number));
    this.showSource(picture.scene, number);
  }

  parts(scene, number) {
    if (!number) return [element("p", "Select a box: a click, or the arrow keys. ? lists all keys.")];
    if (number < 0) return this.leaf(scene, number);
    return scene.isGroup(number) ? this.group(scene, number) : this.node(scene, number);
  }

  node(scene, number) {
    const kind = scene.kind(number);
    const extra = this.page.timeline ? this.page.timeline.facts(number) : [];
    return [
      element("h2", `#${number} ${kind.name}`),
      list([
        ["state", stateText(kind)],
        ["output", kind.outputs.join(", ")],
        ["line", kind.where],
        ["source", kind.text],
        ["module", kind.module],
        ...extra,
        ["uses", this.links(scene, scene.operands(number))],
        ["used by", this.links(scene, scene.users(number))],
      ]),
      ...this.saved(scene, kind),
    ];
  }

  leaf(scene, number) {
    const leaf = scene.leaf(number);
    return [
      element("h2", leaf.name),
      list([
        ["", "a leaf: gradients end here"],
        ["tensor", leaf.like],
        ["memory", sizeText(leaf.bytes)],
        ["used by", this.links(scene, scene.users(number))],
      ]),
    ];
  }

  group(scene, number) {
    const group = scene.group(number);
    const [first, last] = scene.span(number);
    const counts = new Map();
    const nodes = [];
    for (let node = first; node <= last; node++) {
      const { op } = scene.kind(node);
      counts.set(op, (counts.get(op) ?? 0) + 1);
      nodes.push(node);
    }
    const ops = [...counts].sort((one, other) => other[1] - one[1]);
    const described = ops.slice(0, 12).map(([op, times]) => `${times.toLocaleString("en")} × ${op}`);
    if (ops.length > 12) described.push(`and ${ops.length - 12} more`);
    const sorts = { module: "module", repeat: `repeats ${group.times.toLocaleString("en")} times`,
      round: "one round of a loop", range: "part of a long list", graph: "the whole graph" };
    return [
      element("h2", scene.title(number)),
      list([
        ["sort", sorts[group.sort]],
        ["nodes", `${group.nodes.toLocaleString("en")}, #${first} to #${last}`],
        ["keeps", `${sizeText(scene.keptBytes(nodes))}, shared memory counted once`],
        ["ops", described.join(", ")],
      ]),
    ];
  }

  saved(scene, kind) {
    if (!kind.saved.length) return [];
    const table = document.createElement("table");
    table.append(tableRow("th", ["saved", "", "bytes"]));
    for (const value of kind.saved) {
      const like = value.leaf === null ? value.like : `= ${scene.data.leaves[value.leaf - 1].name}`;
      table.append(tableRow("td", [value.name, like, value.leaf === null ? sizeText(value.bytes) : "the leaf's"]));
    }
    return [table];
  }

  links(scene, numbers) {
    const shown = numbers.slice(0, 20).map((number) => {
      if (number === null) return element("span", "no gradient needed ");
      const button = element("button", number < 0 ? scene.leaf(number).name : `#${number} ${scene.kind(number).op}`);
      button.addEventListener("click", () => this.page.select(this.picture, number));
      return button;
    });
    if (numbers.length > 20) shown.push(element("span", `and ${(numbers.length - 20).toLocaleString("en")} more`));
    return shown.length ? shown : ["nothing"];
  }

  // ---- source ----

  showSource(scene, number) {
    let kind = number > 0 && !scene.isGroup(number) ? scene.kind(number) : null;
    if (number > 0 && scene.isGroup(number)) kind = scene.kind(scene.span(number)[1]);
    if (number < 0 && scene.users(number).length) kind = scene.kind(scene.users(number)[0]);
    const file = kind?.file || this.file || Object.keys(scene.data.sources)[0];
    this.file = file;
    const lines = scene.data.sources[file];
    if (!lines) {
      this.source.replaceChildren(element("h2", "The source cannot be read."));
      return;
    }
    const amounts = this.page.amounts(this.picture, file);
    const most = Math.max(1, ...[...amounts.values()].map((each) => each.amount));
    const rows = [element("h2", `${file} — ${this.page.amountTitle}`)];
    let before = lines[0][0] - 1;
    for (const [line, text] of lines) {
      if (line !== before + 1) rows.push(element("div", "⋮", "gap"));
      before = line;
      rows.push(this.line(line, text, amounts.get(line), most, file === kind?.file && line === kind?.line));
    }
    this.source.replaceChildren(...rows);
    const chosen = this.source.querySelector(".selected");
    if (chosen) this.source.scrollTop = chosen.offsetTop - this.source.offsetTop - this.source.clientHeight / 3;
  }

  line(line, text, amount, most, selected) {
    const row = element("div", "", selected ? "line selected" : "line");
    const number = element(amount ? "button" : "span", `${selected ? "▶ " : ""}${line}`, "number");
    if (amount) {
      const made = `${countText(amount.nodes.length, "node")} made on line ${line}`;
      number.title = amount.title ? `${made}; ${amount.title}` : made;
      number.setAttribute("aria-label", number.title);
      number.addEventListener("click", () => this.selectNext(amount.nodes));
    }
    const bar = element("span", amount && amount.amount ? amount.text : "", "amount");
    bar.style.setProperty("--share", `${amount ? (70 * amount.amount) / most : 0}%`);
    row.append(number, bar, element("span", text, "text"));
    return row;
  }

  // Each press on a line goes to the next of its nodes.
  selectNext(nodes) {
    if (!nodes.length) return;
    const place = nodes.indexOf(this.picture.selected);
    this.page.select(this.picture, nodes[(place + 1) % nodes.length]);
  }
}

function element(tag, text, name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function list(facts) {
  const made = document.createElement("dl");
  for (const [term, value] of facts) {
    if (value === "") continue;
    const shown = document.createElement("dd");
    shown.append(...(Array.isArray(value) ? value : [value]));
    made.append(element("dt", term), shown);
  }
  return made;
}

function tableRow(tag, texts) {
  const row = document.createElement("tr");
  row.append(...texts.map((text) => element(tag, text)));
  return row;
}

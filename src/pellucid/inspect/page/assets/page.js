// The page: its pictures, the outline, what is selected, search, keys and theme.

const MOST_BOXES = 20000;   // of all groups opened at once

class Page {
  constructor(data) {
    this.data = data;
    this.embedded = window.self !== window.top;
    if (this.embedded) document.documentElement.dataset.embedded = "";
    this.amountTitle = data.timeline ? "time by line" : "memory kept by line, shared memory counted once in each";
    this.tree = new Tree(document.getElementById("outline"), this);
    this.details = new Details(document.getElementById("details"), document.getElementById("source"), this);
    this.pictures = data.scenes.map((scene, place) => this.addPicture(scene, data.labels[place]));
    this.timeline = data.timeline ? new Timeline(data.timeline, this) : null;
    document.getElementById("next").hidden = !data.scenes.some((scene) => scene.flags);
    this.found = { text: "", numbers: [], place: -1 };
    this.activate(this.pictures[0]);
    this.listen();
    this.details.show(this.active, 0);
  }

  addPicture(data, label) {
    const section = document.createElement("section");
    section.className = "picture";
    section.setAttribute("aria-label", label);
    if (this.data.scenes.length > 1) section.append(element("h2", label));
    const frame = element("div", "", "frame");
    section.append(frame);
    document.getElementById("pictures").append(section);
    return new Picture(new Scene(data), frame, label, this);
  }

  activate(picture) {
    if (this.active === picture) return;
    this.active = picture;
    this.tree.show(picture);
  }

  firstRoot(picture) { return picture.scene.data.roots[0]; }

  // ---- what the parts of the page ask for ----

  select(picture, number, moving = true) {
    if (!number) return;
    this.activate(picture);
    if (picture.scene.reveal(number)) {
      picture.placement.allChanged();
      picture.selected = number;
      this.tree.update();
    }
    picture.select(number);
    this.tree.select(number);
    this.details.show(picture, number);
    if (moving) picture.show(number);
    const described = picture.scene.describe(number);
    this.say(described);
    document.getElementById("told").textContent = this.embedded ? described : `${described} ↓`;
    this.showPartner(picture, number);
  }

  // Where two graphs are compared: show the node of the other one that corresponds.
  showPartner(picture, number) {
    const partner = picture.scene.data.partners?.[number];
    const other = this.pictures.find((each) => each !== picture);
    if (!partner || !other) return;
    if (other.scene.reveal(partner)) other.placement.allChanged();
    other.select(partner);
    other.show(partner);
  }

  toggle(picture, number) {
    this.activate(picture);
    picture.toggle(number);
    picture.select(picture.selected);
    this.tree.update();
    this.say(picture.scene.describe(number));
  }

  // What a box says: in a recording, what it is at the chosen time.
  lookAt(picture, number, look) {
    return this.timeline ? this.timeline.look(number, look) : look;
  }

  // For each line of a file its nodes, and how much it keeps or how long it took.
  amounts(picture, file) {
    if (this.timeline) return this.timeline.amounts(file);
    const amounts = new Map();
    const { scene } = picture;
    for (let number = scene.count; number > 0; number--) {
      const kind = scene.kind(number);
      if (kind.file !== file) continue;
      if (!amounts.has(kind.line)) amounts.set(kind.line, { nodes: [] });
      amounts.get(kind.line).nodes.push(number);
    }
    for (const line of amounts.values()) {
      line.amount = scene.keptBytes(line.nodes);
      line.text = sizeText(line.amount);
    }
    return amounts;
  }

  say(text) { document.getElementById("status").textContent = text; }

  // ---- search ----

  search(backwards = false) {
    const text = document.getElementById("query").value.trim().toLowerCase();
    const { scene } = this.active;
    if (text !== this.found.text || scene !== this.found.scene) {
      this.found = { text, scene, numbers: text ? matches(scene, text) : [], place: -1 };
    }
    const { numbers } = this.found;
    const output = document.getElementById("found");
    if (!numbers.length) {
      output.textContent = text ? "none" : "";
      return;
    }
    const step = backwards ? -1 : 1;
    this.found.place = (Math.max(this.found.place, backwards ? 0 : -1) + step + numbers.length) % numbers.length;
    output.textContent = `${(this.found.place + 1).toLocaleString("en")} of ${numbers.length.toLocaleString("en")}`;
    this.select(this.active, numbers[this.found.place]);
  }

  // Go to the next node that is not the same in both graphs, from picture to picture.
  nextDifference() {
    const marked = this.pictures.flatMap((picture) => {
      const flags = picture.scene.data.flags ?? {};
      const numbers = Object.keys(flags).map(Number).filter((number) => !picture.scene.isGroup(number));
      return numbers.sort((one, other) => other - one).map((number) => [picture, number]);
    });
    if (!marked.length) return;
    this.difference = ((this.difference ?? -1) + 1) % marked.length;
    this.select(...marked[this.difference]);
  }

  // ---- buttons and keys ----

  openAll() {
    const all = this.active.scene.openUpTo(MOST_BOXES);
    this.opened(all ? "all groups are open" : `groups are open up to ${MOST_BOXES.toLocaleString("en")} boxes`);
  }

  closeAll() {
    const { scene } = this.active;
    scene.open = new Set([scene.root]);
    this.opened("all groups are closed");
  }

  opened(text) {
    this.active.placement.allChanged();
    this.active.select(this.active.selected);
    this.tree.update();
    this.active.fit();
    this.say(text);
  }

  setTheme(theme) {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    document.getElementById("theme").textContent = `Theme: ${theme}`;
    this.readColours();
  }

  nextTheme() {
    const themes = ["system", "light", "dark"];
    const now = document.documentElement.dataset.theme ?? "system";
    this.setTheme(themes[(themes.indexOf(now) + 1) % themes.length]);
  }

  readColours() {
    for (const picture of this.pictures) picture.readColours();
    if (this.timeline) this.timeline.draw();
  }

  listen() {
    const press = (id, action) => document.getElementById(id).addEventListener("click", action);
    const commands = {
      "+": () => this.active.zoom(1.25), "=": () => this.active.zoom(1.25),
      "-": () => this.active.zoom(0.8), 0: () => this.active.fitWhole(),
      o: () => this.openAll(), c: () => this.closeAll(), t: () => this.nextTheme(),
      "/": () => document.getElementById("query").focus(),
      "?": () => document.getElementById("keys").showModal(),
      d: () => this.nextDifference(),
      "[": () => this.timeline?.step(-1), "]": () => this.timeline?.step(1),
      ",": () => this.timeline?.step(-1), ".": () => this.timeline?.step(1),
      " ": () => this.timeline?.toggle(),
    };
    press("larger", commands["+"]);
    press("smaller", commands["-"]);
    press("fit", commands[0]);
    press("unfold", commands.o);
    press("fold", commands.c);
    press("theme", commands.t);
    press("next", commands.d);
    press("help", commands["?"]);
    press("told", () => document.getElementById("side").scrollIntoView({ behavior: "smooth" }));
    document.getElementById("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    document.getElementById("query").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && event.shiftKey) {
        event.preventDefault();
        this.search(true);
      } else if (event.key === "Escape") this.active.canvas.focus();
    });
    document.addEventListener("keydown", (event) => {
      const typing = event.target.matches("input, button, dialog *");
      if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in commands)) return;
      if (typing && (event.key === " " || event.target.matches("input[type=search], dialog *"))) return;
      event.preventDefault();
      commands[event.key]();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.readColours());
  }
}

// Everything that a text is found in: #number; then ops, modules, leaves, lines and their text.
function matches(scene, text) {
  if (/^#\d+$/.test(text)) {
    const number = Number(text.slice(1));
    return number >= 1 && number <= scene.count ? [number] : [];
  }
  const within = (...texts) => texts.some((each) => each.toLowerCase().includes(text));
  const ranks = scene.data.kinds.map((kind) => {
    const texts = [[kind.op, kind.name], [kind.module], [], [kind.where, kind.text]];
    return texts.findIndex((each) => within(...each));
  });
  const found = [[], [], [], []];
  scene.data.leaves.forEach((leaf, place) => {
    if (within(leaf.name)) found[2].push(-place - 1);
  });
  for (let number = scene.count; number > 0; number--) {
    found[ranks[scene.data.nodes.kind[number - 1]]]?.push(number);
  }
  return found.flat();
}

const page = new Page(JSON.parse(document.getElementById("data").textContent));
document.documentElement.dataset.ready = Math.round(performance.now());
window.pellucid = page;

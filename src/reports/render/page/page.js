"use strict";
// Everything stands in the page already but the tables of all results: those are built when they are opened. Texts from the
// data are put in as text, never as markup.
(() => {
  const tables = JSON.parse(document.getElementById("data").textContent);
  const first = 200; // rows, until all are asked for

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  // ---- numbers: three significant digits, thousands separated, as everywhere in breakeven

  const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
  function digits(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e12 || size < 1e-4) return value.toExponential(2);
    if (size < 999.5) return value.toPrecision(3);
    return whole.format(Number(value.toPrecision(3)));
  }
  function factor(value) {
    const size = Math.abs(value);
    return `${size >= 99.5 ? digits(value) : value.toFixed(size >= 9.95 ? 0 : size < 1.095 ? 2 : 1)}x`;
  }
  const percent = (value) => {
    const size = 100 * value;
    if (size > 0 && size < 0.05) return "<0.1 %";
    return `${size.toFixed(size !== 0 && Math.abs(size) < 9.95 ? 1 : 0)} %`;
  };
  const withUnit = (value, units) => {
    // Rounded first: 999.7 µs is 1.00 ms.
    const rounded = Math.abs(Number(value.toPrecision(3)));
    const [unit, size] = units.find(([, least]) => (value === 0 ? least === 1 : rounded >= least)) || units[units.length - 1];
    return `${digits(value / size)} ${unit}`;
  };
  const show = {
    number: digits,
    count: (v) => whole.format(v),
    seconds: digits,
    joules: digits,
    anySeconds: (v) => withUnit(v, [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]]),
    anyJoules: (v) => withUnit(v, [["kJ", 1e3], ["J", 1], ["mJ", 1e-3], ["µJ", 1e-6], ["nJ", 1e-9]]),
    ratio: factor,
    percent,
    spread: (v) => `±${percent(v)}`,
    change: (v) => `${v >= 1 ? "+" : ""}${(100 * (v - 1)).toFixed(1)} %`,
  };

  // ---- a table of all results

  function buildTable({ title, columns, rows, group }, id) {
    const filters = make("form", { class: "filters", role: "search", "aria-label": `Filter: ${title}` });
    const count = make("p", { class: "count quiet", role: "status" });
    const headings = make("tr");
    const body = make("tbody");
    const table = make("table", {}, make("caption", {}, title), make("thead", {}, headings), body);
    const scroll = make("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table);
    const more = make("button", { class: "more", type: "button" }, "Show all");

    // Notes are sentences: they have a line of their own below their row, because a column would be too narrow.
    const notes = columns.findIndex((column) => column.name === "notes");
    const inRow = (i) => i !== notes && (columns[i].name !== group || state.sort !== null);
    const state = { sort: null, descending: false, words: [], chosen: new Map(), all: false };
    // A row: its group, then a cell a column, each [value, note, tone] or a bare value.
    const valueOf = (cell) => (Array.isArray(cell) ? cell[0] : cell);
    const textOf = (cell) => (Array.isArray(cell) ? cell.slice(0, 2).join(" ") : cell); // without the tone
    const texts = rows.map((row) => row.map(textOf).join(" ").toLowerCase());

    function matching() {
      const kept = rows.filter((row, i) => {
        if (!state.words.every((word) => texts[i].includes(word))) return false;
        for (const [column, value] of state.chosen) if (valueOf(row[column]) !== value) return false;
        return true;
      });
      if (state.sort === null) return kept;
      const sign = state.descending ? -1 : 1;
      const missing = (v) => v === null || v === "";
      return kept.sort((a, b) => {
        const x = valueOf(a[state.sort]);
        const y = valueOf(b[state.sort]);
        // What is not known comes last, whichever the order.
        if (missing(x) || missing(y)) return missing(x) - missing(y);
        if (typeof x === "number" && typeof y === "number") return sign * (x - y);
        return sign * String(x).localeCompare(String(y), "en", { numeric: true });
      });
    }

    function cellOf(cell, column) {
      const [value, note, tone] = Array.isArray(cell) ? cell : [cell];
      const text = value === null ? "" : typeof value === "string" ? value : show[column.kind](value / column.scale);
      const classes = [typeof value === "number" ? "number" : "", tone || "", text ? "" : "empty"];
      const made = make("td", { class: classes.join(" ").trim(), "data-name": column.name }, text);
      if (note) made.append(make("small", {}, note));
      return made;
    }

    function showRows() {
      const all = matching();
      const shown = state.all ? all : all.slice(0, first);
      const made = document.createDocumentFragment();
      let last = null;
      for (const row of shown) {
        if (group && row[0] !== last && state.sort === null) {
          last = row[0];
          made.append(make("tr", { class: "group" }, make("td", { colspan: columns.length }, row[0])));
        }
        const line = make("tr");
        columns.forEach((column, i) => inRow(i) && line.append(cellOf(row[i], column)));
        made.append(line);
        const said = notes < 0 ? null : valueOf(row[notes]);
        if (!said) continue;
        line.className = "noted";
        made.append(make("tr", { class: "notes" }, make("td", { colspan: columns.length, class: "note" }, said)));
      }
      body.replaceChildren(made);
      count.textContent = `${whole.format(all.length)} of ${whole.format(rows.length)} results` + (shown.length < all.length ? `, the first ${first} shown` : "");
      more.hidden = shown.length === all.length;
      for (const one of headings.children) {
        const sorted = Number(one.dataset.column) === state.sort;
        one.setAttribute("aria-sort", !sorted ? "none" : state.descending ? "descending" : "ascending");
        one.hidden = one.dataset.group === "true" && state.sort === null;
      }
    }

    function change(changes) {
      Object.assign(state, changes);
      showRows();
    }

    columns.forEach(({ name, heading, number }, i) => {
      if (i === notes) return;
      const button = make("button", { type: "button" }, heading);
      button.addEventListener("click", () => change({ sort: i, descending: state.sort === i && !state.descending }));
      headings.append(make("th", { class: number ? "number" : "", scope: "col", "data-column": i, "data-group": name === group }, button));
    });

    const words = make("input", { type: "search", autocomplete: "off", spellcheck: false, placeholder: "any words" });
    words.addEventListener("input", () => change({ words: words.value.toLowerCase().split(/\s+/).filter(Boolean) }));
    filters.append(make("label", {}, "Contains ", words));
    columns.forEach(({ name, choose }, i) => {
      const values = choose ? [...new Set(rows.map((row) => valueOf(row[i])))].filter((v) => v !== null && v !== "") : [];
      if (values.length < 2) return;
      const select = make("select", { "data-column": name }, new Option("all", ""));
      for (const value of values.sort()) select.append(new Option(value, value));
      select.addEventListener("change", () => {
        if (select.selectedIndex > 0) state.chosen.set(i, select.value);
        else state.chosen.delete(i);
        showRows();
      });
      filters.append(make("label", {}, `${name} `, select));
    });
    filters.addEventListener("submit", (event) => event.preventDefault());
    more.addEventListener("click", () => change({ all: true }));
    showRows();
    return make("div", { class: "all", id }, filters, count, scroll, more);
  }

  function fill(details) {
    const inside = details.querySelector(".inside");
    if (inside.childElementCount) return;
    tables[details.dataset.of].forEach((table, i) => inside.append(buildTable(table, `${details.dataset.of}-results-${i + 1}`)));
  }
  const results = document.querySelectorAll("details.results");
  for (const details of results) details.addEventListener("toggle", () => details.open && fill(details));

  // Paper cannot be opened: it gets the results of every question that has no more than a page of them.
  const printed = 60; // rows
  const opened = [];
  window.addEventListener("beforeprint", () => {
    for (const details of results) {
      const rows = tables[details.dataset.of].reduce((sum, table) => sum + table.rows.length, 0);
      if (details.open || rows > printed) continue;
      fill(details);
      details.open = true;
      opened.push(details);
    }
  });
  window.addEventListener("afterprint", () => {
    for (const details of opened.splice(0)) details.open = false;
  });
  document.documentElement.dataset.ready = "true";
})();

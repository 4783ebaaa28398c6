"use strict";
// Everything that comes from the data is put in as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);

  function make(tag, text, className) {
    const element = document.createElement(tag);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }
  function list(parent, items, className) {
    for (const item of items) parent.append(make("li", item, className));
  }

  // ---- numbers

  function digits(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(2);
    return size >= 100 ? value.toFixed(0) : value.toPrecision(3);
  }
  function scaled(value, units) {
    const [unit, size] = units.find(([, least]) => value >= least) || units[units.length - 1];
    return `${(value / size).toPrecision(3)} ${unit}`;
  }
  const seconds = (v) => scaled(v, [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]]);
  const joules = (v) => scaled(v, [["kJ", 1e3], ["J", 1], ["mJ", 1e-3], ["µJ", 1e-6]]);
  const percent = (v) => `${(100 * v).toFixed(v < 0.1 ? 1 : 0)}%`;

  const show = { number: digits, seconds, joules, percent, spread: (v) => `±${percent(v)}` }; // of cells that are no text

  // ---- the head

  document.title = data.title;
  byId("title").textContent = data.title;
  byId("about").textContent = data.about;
  byId("made-by").textContent = `Made by breakeven ${data.version}. This file asks for nothing from any network.`;
  list(byId("answer-list"), data.answers);

  // ---- the tables

  const first = 200; // rows, until all are asked for
  const STATUS = { ok: "ok", unsupported: "quiet" };

  // One table, in a section of its own; `suffix` tells its ids from those of others.
  function buildTable({ title, columns, rows }, suffix) {
    const section = make("section");
    const id = (name) => `${name}${suffix}`;
    section.id = id("results");
    section.tabIndex = -1;
    const heading = make("h2", title);
    heading.id = id("results-heading");
    section.setAttribute("aria-labelledby", heading.id);
    const filters = make("form");
    filters.id = id("filters");
    filters.className = "filters";
    filters.setAttribute("role", "search");
    filters.setAttribute("aria-label", `Filter: ${title}`);
    const count = make("p");
    count.id = id("count");
    count.setAttribute("role", "status");
    const scroll = make("div", undefined, "scroll");
    scroll.tabIndex = 0;
    scroll.setAttribute("role", "region");
    scroll.setAttribute("aria-labelledby", heading.id);
    const table = make("table");
    table.id = id("table");
    table.append(make("caption", `${title}; the headings sort`, "hidden"));
    const headings = make("tr");
    table.createTHead().append(headings);
    const body = table.createTBody();
    scroll.append(table);
    const more = make("button", "Show all");
    more.type = "button";
    more.id = id("more");
    more.className = "more";
    const moreLine = make("p");
    moreLine.append(more);
    section.append(heading, filters, count, scroll, moreLine);
    byId("tables").append(section);

    const used = columns.map(({ ifSeveral }, i) => {
      const values = new Set(rows.map((row) => row[i]).filter((v) => v !== null && v !== ""));
      return values.size > (ifSeveral ? 1 : 0);
    });
    const state = { sort: null, descending: false, words: [], chosen: new Map(), all: false };
    const texts = rows.map((row) => row.join(" ").toLowerCase());

    function matching() {
      const kept = rows.filter((row, i) => {
        if (!state.words.every((word) => texts[i].includes(word))) return false;
        for (const [column, value] of state.chosen) if (row[column] !== value) return false;
        return true;
      });
      if (state.sort === null) return kept;
      const sign = state.descending ? -1 : 1;
      return kept.sort((a, b) => {
        const x = a[state.sort];
        const y = b[state.sort];
        // What is not known comes last, whichever the order.
        if (x === null || x === "") return y === null || y === "" ? 0 : 1;
        if (y === null || y === "") return -1;
        return sign * (typeof x === "number" ? x - y : x.localeCompare(y, "en", { numeric: true }));
      });
    }

    function cell(value, { name, cells }) {
      const text = value === null ? "" : cells === "text" ? value : show[cells](value);
      const made = make("td", text, cells === "text" ? "" : "number");
      if (name === "status") made.className = STATUS[value] ?? "bad";
      if (name === "notes") made.className = "note";
      if (name === "problem" || name === "question") made.className = "problem";
      return made;
    }

    function showRows() {
      const all = matching();
      const shown = state.all ? all : all.slice(0, first);
      const made = document.createDocumentFragment();
      for (const row of shown) {
        const line = make("tr");
        columns.forEach((column, i) => used[i] && line.append(cell(row[i], column)));
        made.append(line);
      }
      body.replaceChildren(made);
      count.textContent =
        `${all.length} of ${rows.length} results` + (shown.length < all.length ? `, the first ${first} shown` : "");
      more.hidden = shown.length === all.length;
      for (const one of headings.children) {
        const sorted = Number(one.dataset.column) === state.sort;
        one.setAttribute("aria-sort", !sorted ? "none" : state.descending ? "descending" : "ascending");
      }
    }

    columns.forEach(({ name, cells }, i) => {
      if (!used[i]) return;
      const one = make("th", undefined, cells === "text" ? "" : "number");
      one.scope = "col";
      one.dataset.column = i;
      const button = make("button", name);
      button.type = "button";
      button.addEventListener("click", () => {
        state.descending = state.sort === i && !state.descending;
        state.sort = i;
        showRows();
      });
      one.append(button);
      headings.append(one);
    });

    const contains = make("label", "Contains ");
    const words = make("input");
    words.id = id("filter-text");
    words.type = "search";
    words.autocomplete = "off";
    words.spellcheck = false;
    words.placeholder = "any words";
    words.addEventListener("input", () => {
      state.words = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      showRows();
    });
    contains.append(words);
    filters.append(contains);
    columns.forEach(({ name, choose }, i) => {
      const values = choose ? [...new Set(rows.map((row) => row[i]))].filter((v) => v !== null && v !== "") : [];
      if (values.length < 2) return;
      const label = make("label", `${name} `);
      const select = make("select");
      select.id = id(`filter-${name}`);
      select.append(new Option("all", ""));
      for (const value of values.sort()) select.append(new Option(value, value));
      select.addEventListener("change", () => {
        if (select.selectedIndex > 0) state.chosen.set(i, select.value);
        else state.chosen.delete(i);
        showRows();
      });
      label.append(select);
      filters.append(label);
    });
    filters.addEventListener("submit", (event) => event.preventDefault());
    more.addEventListener("click", () => {
      state.all = true;
      showRows();
    });
    showRows();
  }

  // ---- charts

  // Okabe and Ito's colours, which people who see fewer tell apart, too; and a shape each.
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#777777", "#B8A900"];
  const shapes = ["circle", "rect", "triangle", "rectRot", "star", "cross", "crossRot", "rectRounded"];
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Chart.js has no intervals: a line from low to high through each point or bar.
  const intervals = {
    id: "intervals",
    afterDatasetsDraw(chart) {
      const context = chart.ctx;
      chart.data.datasets.forEach((dataset, i) => {
        const meta = chart.getDatasetMeta(i);
        if (!dataset.bounds || meta.hidden || !chart.isDatasetVisible(i)) return;
        context.save();
        context.strokeStyle = chart.config.type === "bar" ? ink("--text") : dataset.borderColor;
        context.lineWidth = 1.5;
        meta.data.forEach((element, j) => {
          const bounds = dataset.bounds[j];
          if (!bounds || element.skip) return;
          const [low, high] = bounds.map((y) => chart.scales.y.getPixelForValue(y));
          context.beginPath();
          context.moveTo(element.x, low);
          context.lineTo(element.x, high);
          for (const y of [low, high]) {
            context.moveTo(element.x - 3, y);
            context.lineTo(element.x + 3, y);
          }
          context.stroke();
        });
        context.restore();
      });
    },
  };

  function dataset(chart, series, i) {
    const colour = series.limit ? ink("--quiet") : colours[i % colours.length];
    const bounds = series.points.map(([, , low, high]) => (low === null || high === null ? null : [low, high]));
    const common = { label: series.label, borderColor: colour, backgroundColor: colour, bounds };
    if (chart.kind === "bars") {
      const values = chart.categories.map(() => null);
      const ends = chart.categories.map(() => null);
      series.points.forEach(([x, y], j) => {
        values[x] = y;
        ends[x] = bounds[j];
      });
      return { ...common, data: values, bounds: ends };
    }
    return {
      ...common,
      data: series.points.map(([x, y]) => ({ x, y })),
      showLine: series.limit || chart.kind === "lines",
      borderWidth: 2,
      borderDash: series.limit ? [6, 4] : [],
      pointRadius: series.limit || series.points.length > 200 ? 0 : 4,
      pointStyle: shapes[i % shapes.length],
    };
  }

  function axis(of, chart, isBars) {
    const scale = isBars ? {} : { type: of.logarithmic ? "logarithmic" : "linear" };
    return {
      ...scale,
      title: { display: Boolean(of.label), text: of.label, color: ink("--text") },
      grid: { color: ink("--line") },
      ticks: { color: ink("--text"), ...(isBars ? { autoSkip: false } : { callback: (v) => (of.logarithmic ? logTick(v) : short(v)) }) },
    };
  }
  // Of a logarithmic axis: 1, 2 and 5 times powers of ten.
  function logTick(value) {
    const lead = value / 10 ** Math.floor(Math.log10(value) + 1e-9);
    return [1, 2, 5].some((n) => Math.abs(lead - n) < 1e-6) ? short(value) : "";
  }
  const compact = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 });
  const short = (value) => (Math.abs(value) >= 1e4 ? compact.format(value) : String(Number(value.toPrecision(4))));

  const drawn = new Map(); // canvas, what Chart.js made of it
  function draw(canvas, chart) {
    if (drawn.has(canvas)) return;
    const isBars = chart.kind === "bars";
    drawn.set(
      canvas,
      new Chart(canvas, {
        type: isBars ? "bar" : "scatter",
        data: { labels: chart.categories, datasets: chart.series.map((series, i) => dataset(chart, series, i)) },
        options: {
          animation: false,
          maintainAspectRatio: false,
          scales: { x: axis(chart.x, chart, isBars), y: axis(chart.y, chart, false) },
          plugins: {
            legend: { position: "bottom", labels: { color: ink("--text"), usePointStyle: true } },
            tooltip: {
              callbacks: {
                label(item) {
                  const bounds = item.dataset.bounds[item.dataIndex];
                  const interval = bounds ? ` (${digits(bounds[0])} to ${digits(bounds[1])})` : "";
                  return `${item.dataset.label}: ${digits(item.parsed.y)}${interval}`;
                },
              },
            },
          },
        },
        plugins: [intervals],
      }),
    );
  }

  // What is in a chart for who does not see it.
  function chartTable(chart) {
    const table = make("table");
    const head = make("tr");
    for (const name of ["series", chart.kind === "bars" ? "problem" : chart.x.label, chart.y.label, "low", "high"]) {
      const heading = make("th", name);
      heading.scope = "col";
      head.append(heading);
    }
    table.createTHead().append(head);
    const body = table.createTBody();
    for (const series of chart.series) {
      for (const [x, y, low, high] of series.points) {
        const line = make("tr");
        line.append(make("td", series.label), make("td", chart.kind === "bars" ? chart.categories[x] : digits(x)));
        for (const value of [y, low, high]) line.append(make("td", value === null ? "" : digits(value), "number"));
        body.append(line);
      }
    }
    return table;
  }

  function buildCharts() {
    const library = typeof Chart !== "undefined";
    const onScreen = library && "IntersectionObserver" in window
      ? new IntersectionObserver((entries) => {
        for (const entry of entries) if (entry.isIntersecting) draw(entry.target, chartOf.get(entry.target));
      }, { rootMargin: "600px" })
      : null;
    const chartOf = new Map();
    if (!data.charts.length) {
      byId("charts").hidden = true;
      return;
    }
    if (!library) {
      byId("no-charts").hidden = false;
      byId("no-charts").textContent = "This breakeven was built without Chart.js: what would be drawn is in tables.";
    }
    for (const chart of data.charts) {
      const figure = make("figure");
      figure.id = `chart-${chart.name}`;
      figure.append(make("figcaption", chart.title));
      if (library) {
        const box = make("div", undefined, "canvas");
        const canvas = make("canvas");
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", `${chart.title}. The figures are in the table below it.`);
        box.append(canvas);
        figure.append(box);
        chartOf.set(canvas, chart);
        if (onScreen) onScreen.observe(canvas);
        else draw(canvas, chart);
      }
      const details = make("details");
      details.open = !library;
      details.append(make("summary", "The figures"));
      const fill = () => {
        if (details.childElementCount < 2) {
          const scroll = make("div", undefined, "scroll");
          scroll.tabIndex = 0;
          scroll.append(chartTable(chart));
          details.append(scroll);
        }
      };
      details.addEventListener("toggle", fill);
      if (!library) fill();
      figure.append(details);
      byId("chart-list").append(figure);
    }
    const drawAll = () => {
      for (const [canvas, chart] of chartOf) draw(canvas, chart);
    };
    window.addEventListener("beforeprint", drawAll);
    dark.addEventListener("change", () => {
      for (const [canvas, made] of [...drawn]) {
        made.destroy();
        drawn.delete(canvas);
        draw(canvas, chartOf.get(canvas));
      }
    });
  }

  // ---- the rest

  function buildMachines() {
    const box = byId("machine-list");
    for (const machine of data.machines) {
      box.append(make("h3", machine.name));
      const facts = make("ul");
      list(facts, machine.facts);
      list(facts, machine.asides, "quiet");
      list(facts, machine.troubles, "bad");
      box.append(facts);
    }
    byId("machines").hidden = data.machines.length === 0;
  }

  data.tables.forEach((table, i) => buildTable(table, i === 0 ? "" : `-${i + 1}`));
  buildCharts();
  list(byId("finding-list"), data.failures, "bad");
  list(byId("finding-list"), data.warnings, "warn");
  byId("findings").hidden = data.failures.length + data.warnings.length === 0;
  buildMachines();
  document.documentElement.dataset.ready = "true";
})();

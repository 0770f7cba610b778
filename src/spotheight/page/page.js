"use strict";

// Draws the heat map of two attributes that the reader, or the address (#rows=a&columns=b), names.
(() => {
  const data = document.getElementById("heat-data");
  if (!data) return;
  const { metric, wide, maps } = JSON.parse(data.textContent);
  const box = document.getElementById("heat-box");
  const note = document.getElementById("heat-note");
  const [rowSelect, columnSelect] = document.querySelectorAll("#heat-controls select");

  const element = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  // A name may run from right to left; it must not turn its neighbours around.
  const named = (text) => element("bdi", {}, text || "(empty)");

  const turned = (map) => ({
    ...map,
    rows: map.columns,
    columns: map.rows,
    row_levels: map.column_levels,
    column_levels: map.row_levels,
    cells: map.column_levels.map((_, column) => map.cells.map((line) => line[column])),
  });

  const find = (rows, columns) => {
    const fits = (map) => map.rows === rows && map.columns === columns;
    const across = maps.find((map) => map.rows === columns && map.columns === rows);
    return maps.find(fits) ?? (across && turned(across));
  };

  const cellOf = (cell) => {
    if (!cell) {
      const words = element("span", { class: "unseen" }, "does not occur");
      return element("td", { class: "cell absent" }, words);
    }
    const [kind, text, counts, detail] = cell;
    const small = element("small", {}, counts);
    return element("td", { class: kind, title: detail }, element("b", {}, text), small);
  };

  const lineOf = (map) => (level, index) =>
    element("tr", {}, element("th", { scope: "row" }, named(level)), ...map.cells[index].map(cellOf));

  const tableOf = (map) => {
    const caption = element("caption", {});
    const [by, rows, columns] = [named(metric), named(map.rows), named(map.columns)];
    caption.append(by, " by ", rows, " (rows) and ", columns, " (columns)");
    const corner = element("td", { class: "corner" });
    const width = String(map.column_levels.length);
    const over = element("th", { class: "over", colspan: width, scope: "colgroup" }, named(map.columns));
    const levels = map.column_levels.map((level) => element("th", { scope: "col" }, named(level)));
    const first = element("th", { class: "side", scope: "col" }, named(map.rows));
    const head = element("thead", {}, element("tr", {}, corner, over), element("tr", {}, first, ...levels));
    const body = element("tbody", {}, ...map.row_levels.map(lineOf(map)));
    const kind = map.column_levels.length > wide ? "heat wide" : "heat";
    return element("table", { class: kind }, caption, head, body);
  };

  let shown = [maps[0].rows, maps[0].columns];

  const show = (rows, columns) => {
    shown = [rows, columns];
    [rowSelect.value, columnSelect.value] = shown;
    const map = find(rows, columns);
    box.replaceChildren(map ? tableOf(map) : element("p", {}, "There is no heat map of these two."));
    note.textContent = map ? map.left_out : "";
    Object.assign(box.dataset, { drawn: "script", rows, columns });
  };

  const follow = () => {
    const wish = new URLSearchParams(location.hash.slice(1));
    const pair = [wish.get("rows"), wish.get("columns")];
    const known = [...rowSelect.options].map((option) => option.value);
    const fits = pair.every((name) => known.includes(name)) && pair[0] !== pair[1];
    show(...(fits ? pair : shown));
  };

  // The address carries the choice, so that a view can be sent to someone.
  const link = (rows, columns) => location.replace(`#${new URLSearchParams({ rows, columns })}`);

  // One attribute cannot lie along both sides: the other side takes the one that was replaced.
  rowSelect.addEventListener("change", () => {
    const rows = rowSelect.value;
    link(rows, rows === shown[1] ? shown[0] : shown[1]);
  });
  columnSelect.addEventListener("change", () => {
    const columns = columnSelect.value;
    link(columns === shown[0] ? shown[1] : shown[0], columns);
  });
  window.addEventListener("hashchange", follow);
  document.getElementById("heat-controls").hidden = false;
  follow();
})();

// Paper cannot be unfolded.
window.addEventListener("beforeprint", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
});

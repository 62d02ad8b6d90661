// Copyright 2026 The detops authors. SPDX-License-Identifier: Apache-2.0

// Checks the layout of a report in a browser, and writes the problems into the page: one line each in the element
// `findings`, then "done". The page that includes this script defines REPORT (the report as base64 of UTF-8), SCHEME (the
// color scheme that the browser was told to prefer) and EXPECTED (the elements that must be present).

'use strict';

const WIDTHS = [360, 768, 1280];
const PHONE = 360;
const LEAST_LETTER_HEIGHT = 9;
const LEAST_CONTRAST = 4.5;  // WCAG 2, level AA
const TOLERANCE = 1;         // pixels, for rounding

const findings = [];

function describe(element) {
  const mark = ['chart', 'table', 'picture'].map(kind => element.closest(`[data-${kind}]`)?.dataset[kind]).find(Boolean);
  const text = element.textContent.trim().replace(/\s+/g, ' ').slice(0, 40);
  const names = [element.tagName.toLowerCase(), ...element.classList].join('.');
  return `${names} "${text}"` + (mark ? ` in ${mark}` : '');
}

function isVisible(rect) { return rect.width > 20 && rect.height > 20; }

// ---- Contents --------------------------------------------------------------------------------------------------

function checkPresence(page, report) {
  for (const [kind, names] of Object.entries(EXPECTED)) {
    for (const name of names) {
      const found = [...page.querySelectorAll(`[data-${kind}]`)].filter(element => element.dataset[kind] === name);
      if (found.length !== 1) {
        report(`${kind} ${name} occurs ${found.length} times`);
      } else if (!isVisible(found[0].getBoundingClientRect())) {
        report(`${kind} ${name} has no visible size`);
      }
    }
  }
  for (const element of page.querySelectorAll('[data-chart], [data-table], [data-picture]')) {
    if (!isVisible(element.getBoundingClientRect())) report(`${describe(element)} has no visible size`);
  }
}

function checkSelfContained(page, report) {
  for (const element of page.querySelectorAll('script, link, iframe, object, embed')) {
    report(`the page has a ${element.tagName.toLowerCase()} element`);
  }
  for (const element of page.querySelectorAll('*')) {
    for (const name of ['src', 'srcset', 'href', 'xlink:href', 'action']) {
      const value = element.getAttribute(name);
      if (value !== null && !value.startsWith('#')) report(`${describe(element)} points to ${value}`);
    }
    for (const name of element.getAttributeNames()) {
      if (name.startsWith('on')) report(`${describe(element)} has a handler ${name}`);
    }
  }
  if (/url\(|@import/.test([...page.querySelectorAll('style')].map(style => style.textContent).join())) {
    report('a style sheet points elsewhere');
  }
  for (const entry of page.defaultView.performance.getEntriesByType('resource')) report(`the page loads ${entry.name}`);
}

function checkStructure(page, report) {
  if (!page.documentElement.lang) report('the page has no language');
  if (!page.title) report('the page has no title');
  let level = 0;
  for (const heading of page.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) report(`${describe(heading)} follows a heading of level ${level}`);
    level = next;
  }
  for (const head of page.querySelectorAll('th:not([scope])')) report(`${describe(head)} has no scope`);
  for (const chart of page.querySelectorAll('[data-chart]')) {
    for (const part of ['title', 'desc']) {
      if (!chart.querySelector(`:scope > ${part}`)?.textContent) report(`${describe(chart)} has no ${part}`);
    }
  }
  // Pictures share the page, so their ids and styles must not collide.
  for (const style of page.querySelectorAll('body style')) report(`${describe(style.parentElement)} has a style sheet`);
  const ids = [...page.querySelectorAll('[id]')].map(element => element.id);
  for (const id of new Set(ids.filter((id, index) => ids.indexOf(id) !== index))) report(`the id ${id} occurs twice`);
}

// ---- Layout ----------------------------------------------------------------------------------------------------

function checkWidth(page, report) {
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) report(`the page is ${root.scrollWidth} wide, the window ${root.clientWidth}`);
  for (const element of page.body.querySelectorAll('*')) {
    if (element.closest('svg') !== null && element.tagName !== 'svg') continue;  // checkDrawing checks these
    const box = element.parentElement.closest('.scroll') ?? root;
    const rect = element.getBoundingClientRect();
    if (box === root && (rect.left < -TOLERANCE || rect.right > root.clientWidth + TOLERANCE)) {
      report(`${describe(element)} reaches from ${rect.left.toFixed()} to ${rect.right.toFixed()}`);
    }
    const card = element.matches('.scroll, table, svg, p') && box === root ? element.closest('.card') : null;
    if (card !== null && rect.right > card.getBoundingClientRect().right + TOLERANCE) {
      report(`${describe(element)} reaches out of its card`);
    }
  }
}

function checkDrawing(svg, report) {
  const frame = svg.getBoundingClientRect();
  for (const shape of svg.querySelectorAll('text, line, path, rect, circle, ellipse, polygon, polyline, image')) {
    if (shape.closest('defs, clipPath, pattern, marker, [clip-path]') !== null) continue;
    const rect = shape.getBoundingClientRect();
    if (rect.left < frame.left - TOLERANCE || rect.right > frame.right + TOLERANCE || rect.top < frame.top - TOLERANCE ||
        rect.bottom > frame.bottom + TOLERANCE) {
      report(`${describe(shape)} lies outside of its viewBox`);
    }
    if (/NaN|Infinity|inf\b|nan\b/.test(shape.outerHTML.replace(/>[^]*/, ''))) {
      report(`${describe(shape)} has a coordinate that is not a number`);
    }
  }
}

function checkLetters(chart, width, report) {
  const texts = [...chart.querySelectorAll('text')];
  if (texts.length < 3) report(`${describe(chart)} has only ${texts.length} texts`);
  const rects = texts.map(text => text.getBoundingClientRect());
  const scale = chart.getBoundingClientRect().width / chart.viewBox.baseVal.width;
  texts.forEach((text, i) => {
    const height = scale * parseFloat(chart.ownerDocument.defaultView.getComputedStyle(text).fontSize);
    if (width === PHONE && height < LEAST_LETTER_HEIGHT) report(`${describe(text)} is only ${height.toFixed(1)} high`);
    for (let j = i + 1; j < texts.length; ++j) {
      if (text.matches('.number') && texts[j].matches('.number')) continue;  // these may overlap when their points do
      const across = Math.min(rects[i].right, rects[j].right) - Math.max(rects[i].left, rects[j].left);
      const along = Math.min(rects[i].bottom, rects[j].bottom) - Math.max(rects[i].top, rects[j].top);
      if (across > TOLERANCE && along > TOLERANCE) report(`${describe(text)} overlaps ${describe(texts[j])}`);
    }
  });
}

// ---- Colors ----------------------------------------------------------------------------------------------------

function parseColor(text) {
  const [red, green, blue, alpha = 1] = text.match(/[\d.]+/g).map(Number);
  return {channels: [red, green, blue], alpha};
}

function luminance(channels) {
  const [red, green, blue] = channels.map(channel => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function groundOf(element) {
  for (let at = element; at !== null; at = at.parentElement) {
    const color = parseColor(at.ownerDocument.defaultView.getComputedStyle(at).backgroundColor);
    if (color.alpha === 1) return color.channels;
  }
  return [255, 255, 255];
}

function checkContrast(page, report) {
  const hasText = element => [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim() !== '');
  for (const element of page.body.querySelectorAll('*')) {
    if (!hasText(element) || element.matches('title, desc, style') || element.closest('[data-picture] svg')) continue;
    const style = page.defaultView.getComputedStyle(element);
    const ink = luminance(parseColor(element.tagName === 'text' ? style.fill : style.color).channels);
    const ground = luminance(groundOf(element));
    const contrast = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    if (contrast < LEAST_CONTRAST) report(`${describe(element)} has a contrast of ${contrast.toFixed(2)}`);
  }
  const isDark = luminance(groundOf(page.body)) < 0.2;
  if (isDark !== (SCHEME === 'dark')) report(`the page is ${isDark ? 'dark' : 'light'}`);
}

// -----------------------------------------------------------------------------------------------------------------

function check(page, width) {
  const seen = new Set();
  const report = what => seen.add(`${SCHEME}, ${width} px: ${what}`);
  // The color scheme comes first, because the other checks depend on it.
  if (!page.defaultView.matchMedia(`(prefers-color-scheme: ${SCHEME})`).matches) report('the browser prefers another scheme');
  if (page.documentElement.clientWidth !== width) report(`the window is ${page.documentElement.clientWidth} wide`);
  checkWidth(page, report);  // before the details are opened
  for (const details of page.querySelectorAll('details')) details.open = true;
  checkPresence(page, report);
  checkSelfContained(page, report);
  checkStructure(page, report);
  checkWidth(page, report);
  for (const svg of page.querySelectorAll('svg')) checkDrawing(svg, report);
  for (const chart of page.querySelectorAll('[data-chart]')) checkLetters(chart, width, report);
  checkContrast(page, report);
  findings.push(...seen);
}

async function open(html, width) {
  const frame = document.createElement('iframe');
  frame.style = `border: 0; width: ${width}px; height: 900px; color-scheme: ${SCHEME}`;
  frame.srcdoc = html;
  const loaded = new Promise(resolve => frame.addEventListener('load', resolve, {once: true}));
  document.body.append(frame);
  await loaded;
  return frame.contentDocument;
}

async function main() {
  const bytes = Uint8Array.from(atob(REPORT), letter => letter.charCodeAt(0));
  const html = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  for (const width of WIDTHS) check(await open(html, width), width);
}

main().catch(error => findings.push(`the check itself failed: ${error.stack}`)).then(() => {
  for (const frame of document.querySelectorAll('iframe')) frame.remove();
  const list = document.createElement('pre');
  list.id = 'findings';
  list.textContent = [...findings.map(finding => `finding: ${finding}`), `done: ${findings.length} findings`, ''].join('\n');
  document.body.replaceChildren(list);
});

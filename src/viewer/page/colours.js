// colours.js - colours of curves and parts, for light and dark.

const light = ['#1f6fb4', '#d1560f', '#1b7f4d', '#7a57b5', '#c02f7b', '#8a6a00', '#0e8a96', '#6b6f76'];
const dark = ['#6db3f2', '#ff9d5c', '#5fd39a', '#b79bf0', '#ff8ac4', '#e3b341', '#56cfdb', '#aab0b8'];
export const parts = ['#5b8fc4', '#e0a03c', '#6fae7f', '#a58bc9', '#d98795', '#7fb8bf', '#b5a36a', '#98a0aa'];

export const INK = -1;
export function setCurves(theme) {
  (theme === 'dark' ? dark : light).forEach((colour, k) => document.documentElement.style.setProperty(`--curve${k}`, colour));
}
export const isDark = () => document.documentElement.dataset.theme === 'dark';
export const curve = (k) => (isDark() ? dark : light)[k % light.length];
// The same for elements of the page, which change with the theme by themselves.
export const curveStyle = (k) => (k === INK ? 'var(--ink)' : `var(--curve${k % light.length})`);
// The colour of a run among many; the reference is drawn in ink.
export const ofRun = (k) => (k === INK ? token('--ink') : curve(k));
export const dashOfRun = (k) => (k === INK ? [7, 4] : k >= light.length ? [2, 2] : undefined);
// Macro steps of one coupling share its colour.
const stepDashes = [undefined, [6, 3], [2, 3], [9, 3, 2, 3]];
export const dashOfStep = (k) => stepDashes[k % stepDashes.length];
export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

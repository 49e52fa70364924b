import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Graphviz } from '@hpcc-js/wasm-graphviz';
import { projectDirectory } from '../project.ts';

const directory = 'docs/pictures';

/** Each `docs/pictures/NAME.dot`, as `NAME.svg`. Graphviz runs as WebAssembly, so its output is the same everywhere. */
export async function pictures(): Promise<Readonly<Record<string, string>>> {
  const graphviz = await Graphviz.load();
  const names = (await readdir(join(projectDirectory, directory))).filter((name) => name.endsWith('.dot'));
  const entries = names.toSorted().map(async (name) => {
    const dot = await readFile(join(projectDirectory, directory, name), 'utf8');
    const svg = graphviz.layout(dot.replace('{', `{\n${look}`), 'svg');
    return [`${directory}/${name.replace(/\.dot$/, '.svg')}`, styled(svg)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** What all pictures have in common. */
const look = `
  graph [fontname="Arial" fontsize=13 bgcolor=white pad=0.2 style=rounded nodesep=0.35 ranksep=0.6]
  node [fontname="Arial" fontsize=13 shape=box style="rounded,filled" margin="0.2,0.12"]
  edge [fontname="Arial" fontsize=11 arrowsize=0.8]
`;

/** By the class of a node: fill and line, in light and in dark mode. */
const colors: Readonly<Record<string, readonly [light: readonly [string, string], dark: readonly [string, string]]>> = {
  kubernetes: [
    ['#e3ecfd', '#326ce5'],
    ['#172a4d', '#6d9bf5'],
  ],
  ours: [
    ['#dcf5ec', '#12805c'],
    ['#10382c', '#3fc796'],
  ],
  cloud: [
    ['#fdf0d9', '#b26a00'],
    ['#41300f', '#e0a84a'],
  ],
  good: [
    ['#dcf5ec', '#12805c'],
    ['#10382c', '#3fc796'],
  ],
  wait: [
    ['#fdf0d9', '#b26a00'],
    ['#41300f', '#e0a84a'],
  ],
  stop: [
    ['#fde4e1', '#c0392b'],
    ['#4a1d18', '#f08074'],
  ],
  end: [
    ['#eceff3', '#57606a'],
    ['#30363d', '#9aa4af'],
  ],
};

interface Mode {
  readonly paper: string;
  readonly text: string;
  readonly line: string;
  readonly frame: string;
  readonly which: 0 | 1;
}

const light: Mode = { paper: '#ffffff', text: '#1f2328', line: '#57606a', frame: '#f6f8fa', which: 0 };
const dark: Mode = { paper: '#0d1117', text: '#e6edf3', line: '#9aa4af', frame: '#161b22', which: 1 };

/** The page's colour scheme decides. The paper is opaque, so that a viewer without colour schemes shows it well too. */
function styled(svg: string): string {
  const style = `<style>\n${rules(light)}\n@media (prefers-color-scheme: dark) {\n${rules(dark)}\n}\n</style>`;
  return svg.replace(/(<svg[^>]*>)/, `$1\n${style}`);
}

function rules({ paper, text, line, frame, which }: Mode): string {
  const classes = Object.entries(colors).map(([name, modes]) => {
    const [fill, stroke] = modes[which];
    return `.${name} path { fill: ${fill}; stroke: ${stroke} }`;
  });
  return [
    `.graph > polygon { fill: ${paper} }`,
    `.cluster polygon, .cluster path { fill: ${frame}; stroke: ${line} }`,
    `text { fill: ${text}; font-family: Arial, Helvetica, sans-serif }`,
    `.edge path { stroke: ${line} }`,
    `.edge polygon { fill: ${line}; stroke: ${line} }`,
    `.object polygon { fill: ${frame}; stroke: ${line} }`,
    ...classes,
  ].join('\n');
}

/** Who tells the demo: chapters in their order, whichever of them there are. */
export interface DemoOutput {
  chapter(title: string): void;
  /** A line of what there is to see, below the chapter's title. */
  say(line: string): void;
  /** The same, further in: what a program said, or was told. */
  show(text: string): void;
}

export function createDemoOutput(print: (line: string) => void): DemoOutput {
  let number = 0;
  return {
    chapter: (title) => print(`\n${String((number += 1))}. ${title}`),
    say: (line) => print(`   ${line}`),
    show: (text) => print(text.trim().replaceAll(/^/gm, '     ')),
  };
}

/** The output of the demo: numbered chapters, in order. */
export interface DemoOutput {
  chapter(title: string): void;
  /** A line below the chapter's title. */
  say(line: string): void;
  /** The same, indented: input or output of a program. */
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

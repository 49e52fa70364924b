import t from 'tap';
import {
  printPreviousResponse,
  printResponse,
  acknowledgement,
} from '../../../../node-agent/broker/socket/wire-format.ts';
import { brokerLimits } from '../../../../schemas/broker.ts';

await t.test('a response has a first line, its text and a last line', (t) => {
  t.equal(acknowledgement, 'polycloud/2\n');
  t.equal(String(printResponse({ outcome: 'failure', text: 'one\ntwo' })), 'failure\none\ntwo\nend\n');
  t.equal(
    String(printPreviousResponse({ outcome: 'failure', text: 'one\ntwo' })),
    'polycloud/1 failure\none\ntwo\nend\n',
  );
  t.end();
});

const forms = [
  { name: 'a response', print: printResponse, start: '', sent: acknowledgement },
  { name: 'a response in the previous protocol', print: printPreviousResponse, start: 'polycloud/1 ', sent: '' },
];
for (const { name, print, start, sent } of forms) {
  await t.test(`${name} that is too large for the front end is declined`, (t) => {
    const most = brokerLimits.answerBytes - `${sent}${start}answer\n\nend\n`.length - 1;
    const textOf = (text: string): string => String(print({ outcome: 'answer', text }));
    t.ok(textOf('x'.repeat(most)).startsWith(`${start}answer\n`));
    t.equal(sent.length + textOf('x'.repeat(most)).length, brokerLimits.answerBytes - 1);
    t.equal(textOf('x'.repeat(most + 1)), `${start}decline\nthe answer is larger than the front end can take\nend\n`);
    t.ok(textOf('ä'.repeat(most)).startsWith(`${start}decline\n`), 'bytes count');
    t.end();
  });
}

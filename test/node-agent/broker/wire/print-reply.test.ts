import t from 'tap';
import { printReply } from '../../../../node-agent/broker/wire/print-reply.ts';
import { brokerLimits } from '../../../../schemas/broker.ts';

await t.test('a reply has a first line, its text and a last line', (t) => {
  t.equal(String(printReply({ outcome: 'failure', text: 'one\ntwo' })), 'polycloud/1 failure\none\ntwo\nend\n');
  t.end();
});

await t.test('what the front end has no room for is declined', (t) => {
  const most = brokerLimits.answerBytes - 'polycloud/1 answer\n\nend\n'.length - 1;
  t.match(String(printReply({ outcome: 'answer', text: 'x'.repeat(most) })), /^polycloud\/1 answer\n/);
  const declined = String(printReply({ outcome: 'answer', text: 'x'.repeat(most + 1) }));
  t.match(declined, /^polycloud\/1 decline\n.*\nend\n$/);
  t.match(String(printReply({ outcome: 'answer', text: 'ä'.repeat(most) })), /^polycloud\/1 decline\n/, 'bytes count');
  t.end();
});

import t from 'tap';
import { decodeMessage, encodeCall, messageLength } from '../../../../node-agent/install/systemd/dbus-message.ts';

// The hexadecimal texts are what dbus_message_marshal of libdbus 1.14.10 makes of the same content.
const manager = { destination: 'org.freedesktop.systemd1', path: '/org/freedesktop/systemd1' } as const;
const head = { ...manager, interface: 'org.freedesktop.systemd1.Manager' } as const;

const restartHex = [
  '6c0100012000000007000000a000000001016f00190000002f6f72672f667265656465736b746f702f73797374656d643100',
  '00000000000006017300180000006f72672e667265656465736b746f702e73797374656d6431000000000000000002017300',
  '200000006f72672e667265656465736b746f702e73797374656d64312e4d616e616765720000000000000000030173000b00',
  '000052657374617274556e6974000000000008016700027373000f0000006b7562656c65742e736572766963650007000000',
  '7265706c61636500',
].join('');
const enableHex = [
  '6c0100012000000008000000a200000001016f00190000002f6f72672f667265656465736b746f702f73797374656d643100',
  '00000000000006017300180000006f72672e667265656465736b746f702e73797374656d6431000000000000000002017300',
  '200000006f72672e667265656465736b746f702e73797374656d64312e4d616e616765720000000000000000030173000f00',
  '0000456e61626c65556e697446696c65730008016700046173626200000000000000140000000f000000706f6c79636c6f75',
  '642e74696d6572000000000001000000',
].join('');
const enableResponseHex = [
  '6c02010191000000090000001500000005017500080000000801670007626128737373290000000001000000890000000700',
  '000073796d6c696e6b00370000002f6574632f73797374656d642f73797374656d2f74696d6572732e7461726765742e7761',
  '6e74732f706f6c79636c6f75642e74696d657200230000002f6574632f73797374656d642f73797374656d2f706f6c79636c',
  '6f75642e74696d65720006000000756e6c696e6b0000020000002f6100000000000000',
].join('');
const variantHex = [
  '6c020101100000000a0000000f000000050175000800000008016700017600000174000000000000403262eca1600600',
].join('');
const errorHex = [
  '6c030101210000000b0000003f00000004017300230000006f72672e667265656465736b746f702e73797374656d64312e4e',
  '6f53756368556e69740000000000050175000800000008016700017300001c000000556e6974206e6f6e652e736572766963',
  '65206e6f7420666f756e642e00',
].join('');
const signalHex = [
  '6c040101490000000c0000007a00000001016f00190000002f6f72672f667265656465736b746f702f73797374656d643100',
  '00000000000002017300200000006f72672e667265656465736b746f702e73797374656d64312e4d616e6167657200000000',
  '00000000030173000a0000004a6f6252656d6f7665640000000000000801670004756f7373000000000000002a0000002000',
  '00002f6f72672f667265656465736b746f702f73797374656d64312f6a6f622f3432000000000f0000006b7562656c65742e',
  '736572766963650004000000646f6e6500',
].join('');
const allTypesHex = [
  '6c020101740000000d0000001e00000005017500080000000801670010796e7179697864676174617b73767d73000000c800',
  'fbff50c30100f9ffffff00000000000000000000e0ff000000000000f83f0561287376290000000000000000000030000000',
  '00000000070000004d61696e50494400017500007b000000000000000500000053696e636500017400000000090000000000',
  '0000070000005ac3bc7269636800',
].join('');

await t.test('calls have the bytes that libdbus gives them', (t) => {
  const restart = { ...head, member: 'RestartUnit', args: ['kubelet.service', 'replace'] };
  t.equal(encodeCall(restart, 7).toString('hex'), restartHex);
  const enable = { ...head, member: 'EnableUnitFiles', args: [['polycloud.timer'], false, true] };
  t.equal(encodeCall(enable, 8).toString('hex'), enableHex);
  t.end();
});

await t.test('what systemd sends is read', (t) => {
  const read = (hex: string): unknown => decodeMessage(Buffer.from(hex, 'hex'));
  t.strictSame(read(enableResponseHex), {
    kind: 'response',
    replyTo: 8,
    member: '',
    errorName: '',
    body: [
      true,
      [
        ['symlink', '/etc/systemd/system/timers.target.wants/polycloud.timer', '/etc/systemd/system/polycloud.timer'],
        ['unlink', '/a', ''],
      ],
    ],
  });
  t.match(read(variantHex), { kind: 'response', body: [1_795_098_432_123_456n] });
  t.match(read(errorHex), {
    kind: 'error',
    replyTo: 8,
    errorName: 'org.freedesktop.systemd1.NoSuchUnit',
    body: ['Unit none.service not found.'],
  });
  t.match(read(signalHex), {
    kind: 'signal',
    replyTo: 0,
    member: 'JobRemoved',
    body: [42, '/org/freedesktop/systemd1/job/42', 'kubelet.service', 'done'],
  });
  t.end();
});

await t.test('every type is read, with its alignment', (t) => {
  const properties = [
    ['MainPID', 123],
    ['Since', 9n],
  ];
  const { body } = decodeMessage(Buffer.from(allTypesHex, 'hex'));
  t.strictSame(body, [200, -5, 50_000, 1, -7, -(2n ** 53n), 1.5, 'a(sv)', [], properties, 'Zürich']);
  t.end();
});

await t.test('the length is known from the first bytes', (t) => {
  const message = Buffer.from(signalHex, 'hex');
  t.equal(messageLength(message.subarray(0, 15)), undefined);
  t.equal(messageLength(message.subarray(0, 16)), message.length);
  t.equal(messageLength(Buffer.concat([message, message])), message.length);
  t.end();
});

await t.test('what is no message of D-Bus is refused', (t) => {
  t.throws(() => messageLength(Buffer.from('HTTP/1.1 200 OK\r\n')), { message: /little-endian/ });
  const tooLong = Buffer.from(signalHex, 'hex');
  tooLong.writeUInt32LE(2 ** 31, 4);
  t.throws(() => messageLength(tooLong), { message: /too long/ });
  t.throws(() => decodeMessage(Buffer.from(enableResponseHex, 'hex').subarray(0, 120)), { message: /longer than/ });
  t.end();
});

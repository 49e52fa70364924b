import t from 'tap';
import { checkSettings, defaultSettings } from '../../../ccm/lifecycle/settings.ts';

await t.test('the defaults are as promised, without a word', async (t) => {
  t.strictSame(checkSettings({}), { settings: defaultSettings, mistakes: [], warnings: [] });
});

await t.test('stronger is silent, weaker is warned about', async (t) => {
  t.strictSame(checkSettings({ notFoundSpanMs: 120_000, breakerPercent: 5 }).warnings, []);
  const { settings, mistakes, warnings } = checkSettings({ notFoundSpanMs: 600, breakerNodes: 10 });
  t.equal(settings.notFoundSpanMs, 600);
  t.strictSame(mistakes, []);
  t.strictSame(warnings, [
    'notFoundSpanMs is 600, less than the default 60000: Nodes are deleted more easily than documented',
    'breakerNodes is 10, more than the default 3: Nodes are deleted more easily than documented',
  ]);
});

await t.test('what is no sensible number is a mistake', async (t) => {
  for (const value of [-1, 0, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 101]) {
    t.strictSame(checkSettings({ notFoundSightings: value }).mistakes, [
      `notFoundSightings is ${value}; it must be a whole number from 1 to 100`,
    ]);
  }
});

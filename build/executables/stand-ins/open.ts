/** In place of what opens a browser, for people who sign in: @azure/identity brings it along for credentials of that kind. */
// oxlint-disable-next-line import/no-default-export -- the package has one
export default function open(): Promise<never> {
  return Promise.reject(new Error('this program opens no browser'));
}

/** Replaces the package that opens a browser for a person to sign in: @azure/identity has credentials that use it. */
// oxlint-disable-next-line import/no-default-export -- the package has one
export default function open(): Promise<never> {
  return Promise.reject(new Error('this program opens no browser'));
}

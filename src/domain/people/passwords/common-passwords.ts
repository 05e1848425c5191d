/**
 * Whether a password is one of the 49,000 that leaked most often, in any case of letters: the list of zxcvbn, which is
 * loaded on first use. Guessing begins with it.
 */
export async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return dictionary["passwords-common"].includes(password.toLowerCase());
}

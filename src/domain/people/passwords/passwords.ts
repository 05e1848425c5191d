/** bcrypt reads no further than this; a longer password is refused, since its tail would protect nothing. */
const MAX_BYTES = 72;
const MIN_CHARACTERS = 8;

export interface PasswordConfig {
  /** bcrypt's cost: the logarithm of its rounds. Hashes made with another cost go on matching. */
  PASSWORD_HASH_COST: number;
}

/** Salt and digest of nothing anyone knows: comparing with them takes as long as comparing with an account's. */
const NOBODYS_DIGEST = "49GauU0s.ZQcnslXManqsuZWPiaoZyNvXEZpimgVY8ehusNd8bkLq";

/** bcrypt is loaded on first use: most requests never need it. */
async function bcrypt() {
  return import("bcryptjs");
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Why a password will not do, as a sentence; `undefined` for one that will. */
export async function refusalOfPassword(
  password: string,
  owner: { email: string; username: string },
): Promise<string | undefined> {
  if (password.length < MIN_CHARACTERS) return `Password must have at least ${MIN_CHARACTERS} characters`;
  if (bytesOf(password) > MAX_BYTES) return `Password must have at most ${MAX_BYTES} bytes`;
  const same = (text: string) => text.toLowerCase() === password.toLowerCase();
  const local = owner.email.slice(0, owner.email.lastIndexOf("@"));
  if (same(owner.username)) return "Password must not be the username";
  if (same(owner.email) || same(local)) {
    return "Password must not be the email address, or its part before the @";
  }
  if (await isCommon(password)) {
    return "Password is too common: choose an unusual one, such as four random words";
  }
  return undefined;
}

export async function hashPassword(config: PasswordConfig, password: string): Promise<string> {
  return (await bcrypt()).hash(password, config.PASSWORD_HASH_COST);
}

/** Whether a password is the one behind a hash. Takes one bcrypt also where there is none to compare with. */
export async function passwordMatches(
  config: PasswordConfig,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const { compare } = await bcrypt();
  const cost = String(config.PASSWORD_HASH_COST).padStart(2, "0");
  const matches = await compare(password, hash ?? `$2b$${cost}$${NOBODYS_DIGEST}`);
  return matches && typeof hash === "string" && bytesOf(password) <= MAX_BYTES;
}

/**
 * Whether a password is one of the 49,000 that leaked most often, in any case of letters: the list of zxcvbn, which is
 * loaded on first use. Guessing begins with it.
 */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return dictionary["passwords-common"].includes(password.toLowerCase());
}

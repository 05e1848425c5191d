/** bcrypt ignores bytes beyond this. A longer password is refused, because its tail would protect nothing. */
const MAX_BYTES = 72;
const MIN_CHARACTERS = 8;

export interface PasswordConfig {
  /** bcrypt's cost: the logarithm of its rounds. Hashes with another cost still match. */
  PASSWORD_HASH_COST: number;
}

/** Salt and digest of an unknown text: a comparison with it takes as long as one with an account's hash. */
const NOBODYS_DIGEST = "49GauU0s.ZQcnslXManqsuZWPiaoZyNvXEZpimgVY8ehusNd8bkLq";

/** bcrypt is loaded on first use: most requests never need it. */
async function bcrypt() {
  return (await import("bcryptjs")).default;
}

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Why a password is refused, as a sentence; `undefined` for an acceptable one. */
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

/** Whether a password matches a hash. Runs bcrypt once even without a hash. */
export async function passwordMatches(
  config: PasswordConfig,
  password: string,
  hash: string | null | undefined,
): Promise<boolean> {
  const cost = String(config.PASSWORD_HASH_COST).padStart(2, "0");
  const matches = await (await bcrypt()).compare(password, hash ?? `$2b$${cost}$${NOBODYS_DIGEST}`);
  return matches && typeof hash === "string" && bytesOf(password) <= MAX_BYTES;
}

/**
 * Whether a password is one of the 49,000 that leaked most often, in any case of letters, since attackers try these
 * first. The list is from zxcvbn and is loaded on first use.
 */
async function isCommon(password: string): Promise<boolean> {
  const { dictionary } = await import("@zxcvbn-ts/language-common");
  return dictionary["passwords-common"].includes(password.toLowerCase());
}

/** Ends of words that name a secret, so that `apikey` and `authtoken` are found as well. */
const SECRET_WORD =
  /(?:secret|token|password|passwd|passphrase|passcode|pwd|pass|key|credentials?|private|authorization|auth|bearer|cookie|signature|json)s?$/iu;

/** Names of public values that contain such a word. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set(["token_type", "key_id"]);

/**
 * Whether the name of a field says that its value is secret: `refresh_token`, `aws_secret_access_key`, `clientSecret`. A
 * name is taken for secret in case of doubt, which costs only that the value is masked.
 */
export function isSecretMetadata(name: string): boolean {
  if (PUBLIC_NAMES.has(name.toLowerCase())) return false;
  const words = name
    .replaceAll(/(?<lower>[a-z0-9])(?<upper>[A-Z])/gu, "$<lower> $<upper>")
    .split(/[^\p{L}\p{N}]+/u);
  return words.some((word) => SECRET_WORD.test(word.replace(/\d+$/u, "")));
}

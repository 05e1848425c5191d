/** Names that would look like the service's own or its operators', or like no account at all. */
const WORDS =
  "about abuse account accounts admin administrator administrators api app apps assets auth billing blog " +
  "cdn console dashboard default docs email everybody everyone feedback ftp help helpdesk home hostmaster " +
  "imap info internal library localhost logout mail marketplace me mod moderator new nobody noreply null " +
  "official operator owner pop postmaster preview previews privacy profile register robots root security " +
  "service settings signin signup smtp ssl staff static status sudo superuser support sysadmin system " +
  "team terms undefined user verify webmaster wellknown www";

/** First segments of the service's own paths, also after `/api/`. */
const PATHS =
  "admin agent agents api audit-logs auth bases billing channels chat chats config creators csrf " +
  "deployment-credentials deployment-oauth deployments desktop device docs external external-api-keys " +
  "feature-flags forgot-password functions gateway git git-providers guide health invitations invite keys llms login magic-link " +
  "marketplace mcp members models oauth openapi pages pair previews projects public ready refresh reset-password schedules secrets " +
  "sessions shell sidebar tasks teams terminal tools usage users v1 verify-email version webhooks ws";

/** Look-alike characters: digits and signs that resemble letters, and letters that resemble others. */
const READ_AS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "l",
  i: "l",
  "|": "l",
  "!": "l",
  "3": "e",
  "4": "a",
  "@": "a",
  "5": "s",
  $: "s",
  "7": "t",
  "8": "b",
  "9": "g",
};

/**
 * A canonical form of a name: compatibility forms, case, accents, separators and look-alike characters do not
 * distinguish names.
 */
function readingOf(name: string): string {
  return Array.from(name.normalize("NFKD").toLowerCase())
    .filter((character) => !/[\p{M}\p{Cf}\s._~-]/u.test(character))
    .map((character) => READ_AS[character] ?? character)
    .join("")
    .replaceAll("rn", "m")
    .replaceAll("vv", "w");
}

const RESERVED: ReadonlySet<string> = new Set(`${WORDS} ${PATHS}`.split(" ").map(readingOf));

/**
 * Whether a name is reserved: it is one of the names or paths above, or looks like one. A name with non-ASCII letters
 * may look like any name, so all of these are reserved.
 */
export function isReservedName(name: string): boolean {
  const reading = readingOf(name);
  return RESERVED.has(reading) || /[^\x20-\x7e]/u.test(reading);
}

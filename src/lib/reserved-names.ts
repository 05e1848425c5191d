/** Names that would read as the service's own, as its people or as nobody. */
const WORDS =
  "about abuse account accounts admin administrator administrators api app apps assets auth billing blog " +
  "cdn console dashboard default docs email everybody everyone feedback ftp help helpdesk home hostmaster " +
  "imap info internal library localhost logout mail marketplace me mod moderator new nobody noreply null " +
  "official operator owner pop postmaster preview previews privacy profile register robots root security " +
  "service settings signin signup smtp ssl staff static status sudo superuser support sysadmin system " +
  "team terms undefined user verify webmaster wellknown www";

/** What stands at the beginning of the service's own paths, or behind `/api/`. */
const PATHS =
  "admin agent agents api audit-logs auth bases billing chat chats config csrf desktop docs external external-api-keys " +
  "feature-flags forgot-password functions git git-providers health invitations invite keys login magic-link " +
  "marketplace members models oauth openapi pages pair previews projects public ready refresh reset-password secrets " +
  "sessions shell sidebar tasks teams terminal tools usage users v1 verify-email version webhooks ws";

/** Characters that are read for others: digits and signs for letters, and letters that look alike. */
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

/** What a name is read as: compatible forms, case, accents, separators and look-alike characters do not tell names apart. */
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
 * Whether a name is kept for the service: it is one of its own, one of its paths, or reads like one. Names of other scripts
 * than ASCII read like anything, so all of them are.
 */
export function isReservedName(name: string): boolean {
  const reading = readingOf(name);
  return RESERVED.has(reading) || /[^\x20-\x7e]/u.test(reading);
}

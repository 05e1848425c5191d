import { randomSuffix } from "#src/lib/ids.ts";
import { slugOf } from "#src/lib/slug.ts";

/** Names that would read as the service's own, or as pages of it. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "admin administrator api app apps auth billing blog dashboard docs feedback health help internal library login " +
    "logout marketplace me new null profile project projects register root settings status support system undefined " +
    "user users www"
  ).split(" "),
);

/**
 * Why a name will not do for somebody who takes a new one; `undefined` for one that will. Registration is less strict
 * (see its request schema), because existing clients send what they please there.
 */
export function refusalOfUsername(username: string): string | undefined {
  const wellFormed = /^[a-z0-9][a-z0-9_-]{1,48}[a-z0-9]$/u.test(username) && !/[_-]{2}/u.test(username);
  if (!wellFormed) {
    return "Username must be 3 to 50 lowercase letters, digits, single hyphens or underscores, and begin and end with a letter or digit";
  }
  return isReserved(username) ? "Username is reserved" : undefined;
}

/** Whether a name is kept for the service itself. */
export function isReserved(username: string): boolean {
  return RESERVED.has(username);
}

/** A username for somebody who gave none: the local part of the address and six random characters. */
export function usernameFor(email: string): string {
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase();
  const readable = local.replaceAll(/[^a-z0-9_]/gu, "").slice(0, 20);
  return `${readable || "user"}_${randomSuffix(6)}`;
}

/** A slug for somebody with this username. Like a drawn username it may be taken, and is drawn again then. */
export function userSlugOf(username: string): string {
  return slugOf(username.replaceAll(/[_.]/gu, " "), "user");
}

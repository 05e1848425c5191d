import { randomSuffix } from "#src/lib/ids.ts";
import { isReservedName } from "#src/lib/reserved-names.ts";
import { slugOf } from "#src/lib/slug.ts";

/**
 * Why a new username is refused; `undefined` for a valid one. Registration checks the form less strictly (see its
 * request schema), because existing clients send other forms.
 */
export function refusalOfUsername(username: string): string | undefined {
  const wellFormed = /^[a-z0-9][a-z0-9_-]{1,48}[a-z0-9]$/u.test(username) && !/[_-]{2}/u.test(username);
  if (!wellFormed) {
    return "Username must be 3 to 50 lowercase letters, digits, single hyphens or underscores, and begin and end with a letter or digit";
  }
  return isReservedName(username) ? "Username is reserved" : undefined;
}

/** A username derived from the address: its local part and six random characters. */
export function usernameFor(email: string): string {
  const local = email.slice(0, email.lastIndexOf("@")).toLowerCase();
  const readable = local.replaceAll(/[^a-z0-9_]/gu, "").slice(0, 20);
  return `${readable || "user"}_${randomSuffix(6)}`;
}

/** A slug for a person with this username. It may be taken, as a random username may; the caller then draws again. */
export function userSlugOf(username: string): string {
  return slugOf(username.replaceAll(/[_.]/gu, " "), "user");
}

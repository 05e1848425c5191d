import { isScope, type Scope } from "#src/domain/organisations/access/index.ts";
import { requireGrantable } from "#src/domain/organisations/api-keys/index.ts";
import type { Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";

/** What a desktop app needs to do its work in the cloud; each role grants it. */
const DEFAULT: readonly Scope[] = ["marketplace.read", "models.proxy", "usage.read", "agents.read"];

/**
 * Permissions of a device's key: those wished for, and `desktop.pair`, which every device has, so that it can unpair
 * itself. Throws `invalid_input` for an unknown one, `forbidden` for one that the role does not grant.
 */
export function scopesOfDevice(wish: readonly string[] | null, team: Membership): string[] {
  const others = (wish ?? DEFAULT).filter((scope) => scope !== "desktop.pair");
  const unknown = others.find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    // What looks like no name at all is not repeated.
    const named = /^[\w.]{1,50}$/u.test(unknown) ? unknown : "a name has forbidden characters";
    throw new AppError("invalid_input", `Unknown scope: ${named}`);
  }
  requireGrantable(others, team);
  return [...new Set(["desktop.pair", ...others])];
}

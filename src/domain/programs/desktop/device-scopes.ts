import { isScope, type Scope } from "#src/domain/access/permissions/index.ts";
import { requireGrantable } from "#src/domain/programs/api-keys/index.ts";
import type { Membership } from "#src/domain/organisations/teams/index.ts";
import { AppError } from "#src/lib/errors.ts";

/** What a desktop app needs; every role grants these. */
const DEFAULT: readonly Scope[] = ["marketplace.read", "models.proxy", "usage.read", "agents.read"];

/**
 * Permissions of a device's key: the requested ones and `desktop.pair`, with which every device can unpair itself.
 * Throws `invalid_input` for an unknown permission, `forbidden` for one that the role does not grant.
 */
export function scopesOfDevice(wish: readonly string[] | null, team: Membership): string[] {
  const others = (wish ?? DEFAULT).filter((scope) => scope !== "desktop.pair");
  const unknown = others.find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    // Text that cannot be a permission's name is not repeated in the error.
    const named = /^[\w.]{1,50}$/u.test(unknown) ? unknown : "a name has forbidden characters";
    throw new AppError("invalid_input", `Unknown scope: ${named}`);
  }
  requireGrantable(others, team);
  return [...new Set(["desktop.pair", ...others])];
}

import { AppError } from "#src/lib/errors.ts";
import type { PartBefore } from "./queries.ts";

/** Why a person could not be removed from a team or demoted. `not_found` for a person who is not a member. */
export function refusalOfLoss(before: PartBefore | undefined): AppError {
  if (!before) return new AppError("not_found", "Member not found");
  if (before.ownsTeam) {
    return new AppError("conflict", "The owner of a personal team must stay its administrator");
  }
  return new AppError(
    "conflict",
    "A team needs an administrator: make another member an administrator first",
  );
}

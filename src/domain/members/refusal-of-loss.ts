import { AppError } from "#src/lib/errors.ts";
import type { PartBefore } from "./queries.ts";

/** Why somebody's part in a team could not be taken or made less. `not_found` for somebody who has none. */
export function refusalOfLoss(before: PartBefore | undefined): AppError {
  if (!before) return new AppError("not_found", "Member not found");
  if (before.ownsTeam) {
    return new AppError("conflict", "The owner of a personal team stays in it as its administrator");
  }
  return new AppError("conflict", "A team needs an administrator: make somebody else administrator first");
}

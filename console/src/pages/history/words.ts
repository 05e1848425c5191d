import type { api } from "@agent-workspace/client";

/** Why a snapshot was made. */
export const WHY: Record<api.Snapshot["role"], string> = {
  checkpoint: "by a person",
  agent: "before a task",
  restore: "before a restore or a clone",
  hibernation: "when the project fell asleep",
  automatic: "automatically",
};

/** A snapshot's name for a person: its note, or why it was made. */
export function titleOf({ label, role }: Pick<api.Snapshot, "label" | "role">): string {
  return label === "" ? `Snapshot ${WHY[role]}` : label;
}

import type { api } from "@agent-workspace/client";

/** Why a snapshot was made. */
export const WHY: Record<api.Snapshot["role"], string> = {
  checkpoint: "by a person",
  agent: "before a run",
  restore: "before a restore or a clone",
  hibernation: "on hibernation",
  automatic: "after a use",
};

/** A snapshot's name for a person: its note, or why it was made. */
export function titleOf({ label, role }: Pick<api.Snapshot, "label" | "role">): string {
  return label === "" ? `Snapshot ${WHY[role]}` : label;
}

import type { api } from "@agent-workspace/client";
import { stateWord } from "../../parts/badge.tsx";

/** The word of a deployment's state. One that a person ended was cancelled, as its button says; a task was stopped. */
export const wordOf = (status: api.Deployment["status"]): string =>
  status === "cancelled" ? "Cancelled" : stateWord(status);

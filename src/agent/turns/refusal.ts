/** Why a call is not run, for the model. */
export interface Refusal {
  error: string;
  suggestion: string;
  /** Who did not approve the call, and why; the name is not known where the approval expired. */
  denied?: { by: string | null; reason: string | null };
}

/** Why a call is not run, for the model. */
export interface Refusal {
  error: string;
  suggestion: string;
}

import { NotFoundError, WorkspaceError } from "@agent-workspace/client";
import { useMemo } from "preact/hooks";
import { plural } from "./numbers.ts";
import { Countdown, useSecondsLeft } from "./countdown.tsx";

/** How the service says that a thing is not there. */
const NOT_FOUND = /^(?<thing>.+) not found\.?$/iu;

/** A sentence for a person, of any failure. What is not there may be another person's. */
function sentenceOf(error: unknown): string {
  if (error instanceof NotFoundError) {
    const thing = NOT_FOUND.exec(error.detail)?.groups?.["thing"];
    if (thing !== undefined) return `${thing} not found, or you do not have access.`;
    return `Not found, or you do not have access. ${error.detail}`;
  }
  if (error instanceof WorkspaceError) return error.detail;
  return "Something went wrong on this page. Reload it.";
}

/**
 * What the service refused, with the id of the request for its operator, and a way to try again: once the time is over that
 * the service asks to wait. What is said aloud is said once.
 */
export function Refused({ error, again }: { error: unknown; again?: (() => void) | undefined }) {
  const known = error instanceof WorkspaceError ? error : undefined;
  const wait = known?.retryAfterSeconds ?? 0;
  const until = useMemo(() => (wait > 0 ? Date.now() + wait * 1_000 : undefined), [error]);
  const left = useSecondsLeft(until);
  return (
    <div class="notice bad">
      <div role="alert">
        <p>{sentenceOf(error)}</p>
        {wait > 0 && <span class="hidden">Wait {plural(wait, "second")} before you try again.</span>}
      </div>
      <div class="row">
        {again && (
          <button type="button" disabled={left > 0} onClick={again}>
            Try again
          </button>
        )}
        <Countdown left={left} />
        {known?.requestId !== undefined && <span class="muted small">Request ID {known.requestId}</span>}
      </div>
      {wait > 0 && (
        <span class="hidden" role="status">
          {left === 0 && "You can try again now."}
        </span>
      )}
    </div>
  );
}

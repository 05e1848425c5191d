import type { UseQueryResult } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { waitsUntil } from "../service/pace.ts";
import { Countdown, useSecondsLeft } from "./countdown.tsx";
import { Refused } from "./refused.tsx";

/** Shows what was read; a shape until it is there, and the refusal if there is one. */
export function Loaded<T>({
  of,
  children,
}: {
  of: UseQueryResult<T>;
  children: (value: T) => ComponentChildren;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) return <Refused error={of.error} again={() => void of.refetch()} />;
  return <Loading />;
}

/** The client repeats a read that was refused for a time; why that takes so long is said here. */
function Loading() {
  const left = useSecondsLeft(waitsUntil.value);
  return (
    <>
      <div class="shape" role="status" aria-label="Loading" />
      {left > 0 && (
        <p class="row">
          <span role="status">There were too many requests in a short time. This goes on by itself.</span>
          <Countdown left={left} />
        </p>
      )}
    </>
  );
}

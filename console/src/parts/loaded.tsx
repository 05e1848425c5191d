import type { UseQueryResult } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { waitsUntil } from "../service/pace.ts";
import { Countdown, useSecondsLeft } from "./countdown.tsx";
import { Heading } from "./heading.tsx";
import { Refused } from "./refused.tsx";
import { Skeleton } from "./skeleton.tsx";

/** Shows what was read; a shape until it is there, and the refusal if there is one. */
export function Loaded<T>({
  of,
  title,
  children,
}: {
  of: UseQueryResult<T>;
  /** The page's heading, where it is the whole page that could not be read. */
  title?: string;
  children: (value: T) => ComponentChildren;
}) {
  if (of.data !== undefined) return <>{children(of.data)}</>;
  if (of.error) {
    return (
      <>
        {title !== undefined && <Heading>{title}</Heading>}
        <Refused error={of.error} again={() => void of.refetch()} />
      </>
    );
  }
  return <Loading />;
}

/** The client repeats a read that was refused for a time; why that takes so long is said here. */
function Loading() {
  const left = useSecondsLeft(waitsUntil.value);
  return (
    <>
      <Skeleton />
      {left > 0 && (
        <p class="row">
          <span role="status">Too many requests in a short time. The page continues by itself.</span>
          <Countdown left={left} />
        </p>
      )}
    </>
  );
}

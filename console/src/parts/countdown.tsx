import { useEffect, useState } from "preact/hooks";

const SECOND_MS = 1_000;

/** Whole seconds until a time, counted down; 0 from then on, and without one. */
export function useSecondsLeft(until: number | undefined): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (until === undefined) return undefined;
    const look = () => {
      // One moment for both: what is shown when the clock stops is that the time is over.
      const moment = Date.now();
      setNow(moment);
      if (moment >= until) clearInterval(timer);
    };
    const timer = setInterval(look, SECOND_MS);
    // The time may be over already: what is shown was rendered before.
    look();
    return () => clearInterval(timer);
  }, [until]);
  return until === undefined ? 0 : Math.max(0, Math.ceil((until - now) / SECOND_MS));
}

/** The seconds that are left, for those who see them: said aloud, each would be a sentence. */
export function Countdown({ left }: { left: number }) {
  if (left === 0) return null;
  return (
    <span class="muted small" aria-hidden="true">
      again in {left} s
    </span>
  );
}

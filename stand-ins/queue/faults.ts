import { setTimeout as pause } from "node:timers/promises";
import type { Message } from "./message.ts";
import type { Send } from "./send.ts";

/** Faults that at-least-once delivery permits but a real queue seldom shows; read at every delivery. For tests. */
export interface Faults {
  /** Every message is delivered twice, concurrently. */
  duplicate?: boolean;
  /** Every attempt starts after a random pause, so that messages overtake one another. */
  shuffle?: boolean;
  /** Every first attempt fails; alternately the request and the response is lost. */
  failFirst?: boolean;
}

const MAX_PAUSE_MS = 100;

/** Adds faults to `send`. A message is under way until its last copy is done, so a kill loses none of them. */
export function withFaults(send: Send, faults: Faults): Send {
  const failing = where(() => faults.failFirst, failingFirst(send), send);
  const overtaking = where(() => faults.shuffle, shuffled(failing), failing);
  return where(() => faults.duplicate, duplicated(overtaking), overtaking);
}

function where(isOn: () => boolean | undefined, faulty: Send, otherwise: Send): Send {
  return (message, signal) => (isOn() ? faulty : otherwise)(message, signal);
}

function failingFirst(send: Send): Send {
  let attempts = 0;
  return async (message, signal) => {
    if (message.retried > 0) return send(message, signal);
    attempts += 1;
    if (attempts % 2 === 0) await send(message, signal);
    await randomPause(signal);
    const second: Message = { ...message, retried: 1 };
    return send(second, signal);
  };
}

function shuffled(send: Send): Send {
  return async (message, signal) => {
    await randomPause(signal);
    return send(message, signal);
  };
}

function duplicated(send: Send): Send {
  return async (message, signal) => {
    const copy = randomPause(signal).then(() => send(message, signal));
    const [answer] = await Promise.all([send(message, signal), copy]);
    return answer;
  };
}

/** Ends early, without an error, when the queue closes. */
async function randomPause(signal: AbortSignal): Promise<void> {
  await pause(Math.random() * MAX_PAUSE_MS, undefined, { signal }).catch(() => undefined);
}

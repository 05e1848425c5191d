import type { ApiClient } from "#test/support/api-client.ts";
import type { SlackMock } from "#test/support/platforms/slack.ts";
import type { Random } from "#test/support/random.ts";

/** A service that is to be killed, as stories see it. */
export interface World {
  api: ApiClient;
  random: Random;
  dataDir: string;
  /** Whether a job of each kind is to be under way at each kill. */
  isLong: boolean;
  /** A platform that goes on while the service is gone. */
  slack: SlackMock;
}

/** Something that is under way while the service is killed, again and again. */
export interface Story {
  /**
   * Asks for what the next kill is to interrupt. Not `isSwept` is the last kill of a workerd alone: what it leaves to the sweeps
   * waits for a minute.
   */
  beforeKill?(kill: { isSwept: boolean }): Promise<void> | void;
  /** The service, or its workerd, is gone, for the first time or another one. */
  gone?(kill: number): Promise<void> | void;
  /** The service is there again. */
  back?(): Promise<void> | void;
  /** What must hold after the last kill. */
  verify(): Promise<void>;
}

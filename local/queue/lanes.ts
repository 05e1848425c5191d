/** How many deliveries may be under way. */
export interface Places {
  /** In all. */
  all: number;
  /** Of the lanes that this matches, and of all others: less than `all`, so that neither can take every place. */
  favoured: { lanes: RegExp; places: number };
  others: number;
}

/** Lanes that share a number of places. */
interface Share {
  readonly places: number;
  underWay: number;
  /** Lanes that may have a message that is due, in the order of their turns. */
  readonly turns: Set<string>;
}

/**
 * Says which lane delivers next: the lanes take turns, one message each, whatever waits in them. A lane is a flow-control
 * key, or the address of messages without one. Nothing is stored here.
 */
export class Lanes {
  readonly #places: Places;
  readonly #favoured: Share;
  readonly #others: Share;
  readonly #underWay = new Map<string, Set<string>>();
  #isOthersTurn = false;

  constructor(places: Places) {
    this.#places = places;
    this.#favoured = { places: places.favoured.places, underWay: 0, turns: new Set() };
    this.#others = { places: places.others, underWay: 0, turns: new Set() };
  }

  /** Puts a lane that may have a message that is due behind all others, unless it waits for its turn already. */
  queue(lane: string): void {
    this.#shareOf(lane).turns.add(lane);
  }

  /** Takes the lane whose turn it is; undefined while there is no place, or no lane. */
  next(): string | undefined {
    if (this.#favoured.underWay + this.#others.underWay >= this.#places.all) return undefined;
    const shares = this.#isOthersTurn ? [this.#others, this.#favoured] : [this.#favoured, this.#others];
    for (const share of shares) {
      const [lane] = share.turns;
      if (lane === undefined || share.underWay >= share.places) continue;
      share.turns.delete(lane);
      this.#isOthersTurn = share === this.#favoured;
      return lane;
    }
    return undefined;
  }

  /** The messages of a lane that are under way. */
  underWay(lane: string): ReadonlySet<string> {
    return this.#underWay.get(lane) ?? new Set();
  }

  begin(lane: string, id: string): void {
    const ids = this.#underWay.get(lane) ?? new Set();
    this.#underWay.set(lane, ids.add(id));
    this.#shareOf(lane).underWay += 1;
  }

  /** A delivery is over: its lane may have another message. */
  end(lane: string, id: string): void {
    const ids = this.#underWay.get(lane);
    ids?.delete(id);
    if (ids?.size === 0) this.#underWay.delete(lane);
    this.#shareOf(lane).underWay -= 1;
    this.queue(lane);
  }

  #shareOf(lane: string): Share {
    return this.#places.favoured.lanes.test(lane) ? this.#favoured : this.#others;
  }
}

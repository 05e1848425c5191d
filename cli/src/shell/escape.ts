/** What typed keys are: input of the shell, and whether the person leaves it. */
export interface Typed {
  readonly input: string;
  readonly isLeft: boolean;
}

/**
 * The escape of ssh: `~.` at the beginning of a line leaves, `~~` types one `~`. Returns a function that takes the keys as they
 * come; a `~` at the beginning of a line waits for the next key.
 */
export function escapes(): (keys: string) => Typed {
  let place: "start" | "tilde" | "line" = "start";
  return (keys) => {
    let input = "";
    for (const key of keys) {
      if (place === "tilde" && key === ".") return { input, isLeft: true };
      if (place === "start" && key === "~") {
        place = "tilde";
        continue;
      }
      if (place === "tilde" && key !== "~") input += "~";
      input += key;
      place = key === "\r" || key === "\n" ? "start" : "line";
    }
    return { input, isLeft: false };
  };
}

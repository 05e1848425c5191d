import type { Token } from "marked";
import { Component } from "preact";
import { useRef } from "preact/hooks";
import { blocksOf, NO_BLOCKS } from "./blocks.ts";
import { elementOf } from "./elements.tsx";

/** Text of a model, as elements. A block that is finished is neither parsed nor rendered again while the text grows. */
export function Rendered({ text }: { text: string }) {
  const known = useRef(NO_BLOCKS);
  known.current = blocksOf(known.current, text);
  return (
    <div class="markdown">
      {known.current.tokens.map((token, index) => (
        <Block key={index} token={token} />
      ))}
    </div>
  );
}

class Block extends Component<{ token: Token }> {
  override shouldComponentUpdate(next: { token: Token }): boolean {
    return next.token.raw !== this.props.token.raw;
  }

  render() {
    return elementOf(this.props.token);
  }
}

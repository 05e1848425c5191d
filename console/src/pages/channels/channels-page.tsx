import { Route, Switch } from "wouter-preact";
import { ChannelList } from "./channel-list.tsx";
import { ChannelPage } from "./channel-page.tsx";
import { ChoosePlatform, NewChannel } from "./new-channel.tsx";

/** Channels of messaging platforms: their list, a guided form for each platform, and each channel. */
export function ChannelsPage() {
  return (
    <Switch>
      <Route path="/channels/new">
        <ChoosePlatform />
      </Route>
      <Route path="/channels/new/:platform">
        {({ platform }) => <NewChannel key={platform} platform={platform ?? ""} />}
      </Route>
      <Route path="/channels/:channel">
        {({ channel }) => <ChannelPage key={channel} channel={channel ?? ""} />}
      </Route>
      <Route>
        <ChannelList />
      </Route>
    </Switch>
  );
}

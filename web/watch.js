// Live updates: the operation `watch` as server-sent events. Tells that something happened, and how the
// connection is; what is shown is the views' business. A page that nobody sees does not listen: browsers
// have few connections for each server.

/// How long to wait before the next try, at first and at most, in milliseconds.
const FIRST_WAIT = 500;
const LONGEST_WAIT = 10_000;

/// Events that come together are told of once.
const TOGETHER = 120;

/// Listens to one store until `stop`.
export class Watch {
  /// `changed()` after events, and after every new connection; `state("live" | "lost" | "paused")`.
  constructor(store, { changed, state }) {
    this.url = `/v1/stores/${encodeURIComponent(store)}/watch`;
    this.changed = changed;
    this.state = state;
    this.wait = FIRST_WAIT;
    this.onVisible = () => (document.hidden ? this.pause() : this.listen());
    document.addEventListener("visibilitychange", this.onVisible);
    if (!document.hidden) this.listen();
  }

  listen() {
    this.close();
    this.source = new EventSource(this.url);
    this.source.addEventListener("open", () => {
      this.wait = FIRST_WAIT;
      this.state("live");
      this.tell();
    });
    this.source.addEventListener("part", () => this.tell());
    // The server has ended the watch: it stops, or the store was closed.
    this.source.addEventListener("reply", () => this.retry());
    this.source.addEventListener("error", () => this.retry());
  }

  retry() {
    this.close();
    this.state("lost");
    this.timer = setTimeout(() => this.listen(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST_WAIT);
    this.tell();
  }

  pause() {
    this.close();
    this.state("paused");
  }

  tell() {
    this.telling ??= setTimeout(() => {
      this.telling = null;
      this.changed();
    }, TOGETHER);
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }

  stop() {
    this.close();
    clearTimeout(this.telling);
    document.removeEventListener("visibilitychange", this.onVisible);
  }
}

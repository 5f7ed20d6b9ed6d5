// The store of an exported page: the questions of `source.js`, answered from data inside of the page.

/// The data, or null if the page came from a server.
export function embeddedData() {
  const place = document.getElementById("data");
  return place ? JSON.parse(place.textContent) : null;
}

export class EmbeddedSource {
  constructor(data) {
    this.data = data;
    this.canAsk = false;
  }
}

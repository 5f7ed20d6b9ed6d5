//! The story of the demo: what is said and done, turn by turn. Data, and nothing else.

/// Something that happens in a turn.
pub enum Act {
    /// A standing instruction.
    System { key: &'static str, text: &'static str },
    /// The plan so far, as JSON.
    Plan(&'static str),
    /// A standing instruction in other words.
    Rewrite { key: &'static str, text: &'static str },
    /// The plan, brought up to date.
    Replan(&'static str),
    /// The traveller speaks.
    User(&'static str),
    /// The agent answers.
    Answer(&'static str),
    /// The provider gives no answer.
    Refused(&'static str),
    /// The agent calls a tool.
    Call { tool: &'static str, text: &'static str },
    /// The tool answers; worth four cycles.
    Result { tool: &'static str, text: &'static str },
    /// Something was looked up for this turn; worth three cycles.
    Document { name: &'static str, text: &'static str },
    /// What has been said so far, in short.
    Summary(&'static str),
    /// Comes back by itself.
    Reminder { every: u8, text: &'static str },
    /// Comes back no more.
    EndReminder,
}

use Act::*;

/// All turns; the last one is still in progress.
pub const STORY: &[&[Act]] = &[
    &[
        System { key: "manner", text: "You plan trips. Be brief.\nPrices are in euros." },
        Plan(r#"{"city":null,"nights":null,"budget":null,"booked":[]}"#),
        User("I want to get away for a few days in April. Somewhere warm, by train if possible."),
        Answer("From where, for how many nights, and what may it cost altogether?"),
    ],
    &[
        User("From Lyon, four nights, 900 at most. No flying."),
        Replan(r#"{"city":null,"nights":4,"budget":900,"booked":[],"from":"Lyon"}"#),
        Call { tool: "search", text: "warm cities by train from Lyon, April" },
        Result { tool: "search", text: "Barcelona 5h04, Marseille 1h45, Nice 4h30, Genoa 6h10" },
        Answer("Barcelona, Marseille or Nice. Barcelona is warmest and has a direct train."),
    ],
    &[
        Document {
            name: "weather.txt",
            text: "April means: Barcelona 18 °C and 5 days of rain, Marseille 17 °C and 6, Nice 16 °C and 7.",
        },
        User("Barcelona sounds good. Is it warm enough to swim?"),
        Answer("18 degrees in the air, 14 in the sea. For most people: no."),
    ],
    &[
        User("Fine, then walking and food. Remind yourself that I do not eat fish."),
        Reminder { every: 5, text: "The traveller does not eat fish." },
        Replan(r#"{"city":"Barcelona","nights":4,"budget":900,"booked":[],"from":"Lyon"}"#),
        Answer("Noted: no fish. Shall I look for trains on 14 April?"),
    ],
    &[
        User("Yes, going on the 14th and back on the 18th."),
        Call { tool: "trains", text: r#"Lyon -> Barcelona, 14 April; back 18 April"# },
        Result {
            tool: "trains",
            text: "Out 14:30 for 69, 08:32 for 89. Back 16:25 for 59, 10:25 for 75.",
        },
        Answer("Cheapest: out at 14:30 and back at 16:25, 128 for both."),
    ],
    &[
        User("Take those two."),
        Call { tool: "book", text: "train out 14 April 14:30, back 18 April 16:25" },
        Refused("the provider was overloaded"),
        Result { tool: "book", text: "Booked. Reference QX7LLB, 128.00 paid." },
        Replan(
            r#"{"city":"Barcelona","nights":4,"budget":900,"booked":[{"what":"trains","ref":"QX7LLB","price":128}],"from":"Lyon"}"#,
        ),
        Answer("Booked, reference QX7LLB. 772 are left."),
    ],
    &[
        User("Now somewhere to sleep. Quiet, and near a park."),
        Document {
            name: "districts.md",
            text: "Gràcia: village-like, quiet at night. El Born: old town, loud. Sants: near the station. Poblenou: by the sea, parks.",
        },
        Call { tool: "hotels", text: "Barcelona, 14-18 April, quiet, near a park" },
        Result {
            tool: "hotels",
            text: "Casa Verda (Gràcia) 84 a night; Poblenou Parc 92; Hostal Sants 61, on a main road.",
        },
        Answer(
            "Casa Verda in Gràcia, 336 for four nights; Poblenou Parc is nearer to a park, 368.",
        ),
    ],
    &[
        User("Does Casa Verda have breakfast?"),
        Document {
            name: "casa-verda.html",
            text: "Casa Verda: 12 rooms, inner courtyard, breakfast 9 a day, free cancellation until 10 April.",
        },
        Answer("For 9 a day, and you can cancel until 10 April."),
    ],
    &[
        User("Book it without breakfast."),
        Call { tool: "book", text: "Casa Verda, 14-18 April, one person, no breakfast" },
        Result { tool: "book", text: "Booked. Reference CV-2291, 336.00 due on arrival." },
        Replan(
            r#"{"city":"Barcelona","nights":4,"budget":900,"booked":[{"what":"trains","ref":"QX7LLB","price":128},{"what":"Casa Verda","ref":"CV-2291","price":336}],"from":"Lyon"}"#,
        ),
        Answer("Booked, CV-2291, payable there. 436 are left for everything else."),
    ],
    &[
        User("You are a bit too brief. A reason for each suggestion would help."),
        Rewrite {
            key: "manner",
            text: "You plan trips. Be brief, and give a reason for each suggestion.\nPrices are in euros.",
        },
        Answer("From now on each suggestion comes with its reason."),
    ],
    &[
        Summary(
            "Lyon to Barcelona by train, 14 to 18 April, one person, 900 in all. Booked: trains QX7LLB (128) and Casa Verda CV-2291 (336). No fish. 436 left.",
        ),
        User("What should I do on the first evening?"),
        Document {
            name: "gracia.md",
            text: "Plaça de la Virreina: terraces, calm. Carrer de Verdi: cinema in original language. Bar Bodega Quimet: vermouth.",
        },
        Answer(
            "A vermouth at Plaça de la Virreina: you arrive at 19:34, and it is five minutes from your room.",
        ),
    ],
    &[
        User("And where do I eat, without fish?"),
        Call { tool: "search", text: "Gràcia restaurants vegetarian or meat, April, under 30" },
        Result {
            tool: "search",
            text: "La Pubilla (market cooking, 22), Cal Boter (grill, 25), Vegetalia (vegetarian, 18)",
        },
        Answer("Cal Boter, because it grills and does little fish: about 25."),
    ],
    &[
        User("What is the walk from there to the park?"),
        Answer(
            "Park Güell is 25 minutes uphill. Go early: the monument zone needs a ticket from 9:30 on.",
        ),
    ],
    &[
        User("Get me a ticket for the 15th, 9:30."),
        Call { tool: "book", text: "Park Güell, 15 April, 9:30, one adult" },
        Result { tool: "book", text: "Sold out at 9:30. Free: 10:00, 10:30." },
        Answer("9:30 is sold out. 10:00 is the next one; shall I take it?"),
    ],
    &[
        User("Yes, ten is fine."),
        Call { tool: "book", text: "Park Güell, 15 April, 10:00, one adult" },
        Result { tool: "book", text: "Booked. Reference PG-88412, 18.00 paid." },
        Replan(
            r#"{"city":"Barcelona","nights":4,"budget":900,"booked":[{"what":"trains","ref":"QX7LLB","price":128},{"what":"Casa Verda","ref":"CV-2291","price":336},{"what":"Park Güell","ref":"PG-88412","price":18}],"from":"Lyon"}"#,
        ),
        Answer("Ten o'clock on the 15th, PG-88412. 418 are left."),
    ],
    &[
        User("Is there a day trip that is worth it?"),
        Document {
            name: "daytrips.md",
            text: "Montserrat: train and rack railway, 25.50 return, monastery and paths. Girona: 38 minutes by fast train, old town. Sitges: beach, 40 minutes.",
        },
        Answer(
            "Montserrat, because you like walking: 25.50 with the rack railway, and the paths start at the top.",
        ),
    ],
    &[
        User("Is the rack railway running in April?"),
        Call { tool: "search", text: "Montserrat rack railway timetable April 2026" },
        Result { tool: "search", text: "Closed for works 7 to 16 April 2026; a bus replaces it." },
        Answer("Closed until the 16th. Go on the 17th: then it runs again."),
    ],
    &[
        User("Good. The 17th it is."),
        Replan(
            r#"{"city":"Barcelona","nights":4,"budget":900,"booked":[{"what":"trains","ref":"QX7LLB","price":128},{"what":"Casa Verda","ref":"CV-2291","price":336},{"what":"Park Güell","ref":"PG-88412","price":18}],"days":{"2026-04-15":"Park Güell","2026-04-17":"Montserrat"},"from":"Lyon"}"#,
        ),
        Answer("Montserrat on the 17th. The 16th is still open."),
    ],
    &[
        Document {
            name: "museums.md",
            text: "MNAC: Romanesque frescoes, 12. Picasso: 14, closed on Mondays. Miró: on the hill, 13.",
        },
        User("Something indoors for the 16th, in case it rains."),
        Answer(
            "MNAC for its Romanesque frescoes: 12, and the terrace has the best view if it does not rain.",
        ),
    ],
    &[
        User("A friend may join me. What would change?"),
        Call { tool: "hotels", text: "Casa Verda, second person, 14-18 April" },
        Result { tool: "hotels", text: "Second person 22 a night: 88 in all." },
        Answer(
            "88 more at Casa Verda, and a second train ticket for about 150 by now. The budget of 900 is for one.",
        ),
    ],
    &[
        User("She cannot come after all. Keep it as it is."),
        Answer("Nothing was changed. Your bookings stand."),
    ],
    &[
        Summary(
            "All booked for 14 to 18 April: trains, Casa Verda, Park Güell on the 15th at 10. Open: MNAC on the 16th. Montserrat on the 17th. No fish. 418 left.",
        ),
        User("By the way, fish is fine again. It was only for Lent."),
        EndReminder,
        Answer(
            "Good to know, because the grill at Cal Boter has it fresh. I will not be reminded any more.",
        ),
    ],
    &[
        User("Then find me one good place for fish."),
        Call { tool: "search", text: "Barceloneta fish restaurant lunch menu 2026" },
        Result {
            tool: "search",
            text: "Can Maño (simple, 15, no reservations), La Cova Fumada (14, closes at 15:00)",
        },
        Answer(
            "La Cova Fumada for lunch on the 16th: fresh from the market, but be there before two.",
        ),
    ],
    &[
        User("What have I spent so far, and what is still to pay?"),
        Answer(
            "Paid: 146 (trains 128, Park Güell 18). To pay there: 336. 418 are left for food, Montserrat and MNAC.",
        ),
    ],
    &[
        User("Can you send me the references?"),
        Answer("Trains QX7LLB, Casa Verda CV-2291, Park Güell PG-88412."),
    ],
    &[
        User("One more thing: can I leave my bag at the station on the last day?"),
        Call { tool: "search", text: "Barcelona Sants left luggage price hours" },
    ],
];

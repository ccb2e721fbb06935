"""Sentences of the soft regression tree paper that state numbers of its tables.

Those that its tables support are here too: every sentence is checked in the same way.
"""

from boostbench.papers.sentence import (
    Sentence,
    largest_speedup,
    least_lead,
    least_speedup,
    least_time_saved,
    losses,
    lost_on,
    slower_on,
    wins,
)

_SECOND_GROUP = ("abalone", "ailerons", "compactiv", "cpu_small", "friedman", "lpga2009")
_FIRST_GROUP = ("auto_mpg", "elevators", "housing", "kin8nm")

SENTENCES = (
    Sentence(
        "For all the datasets except Lpga2009, SRT ℓ₂ leads to a higher average testing R²",
        "Section 6.2", "2", "srt_l2", "orrt", 3, wins, "14 data sets", 14, 14,
    ),
    Sentence(
        "ORRT requires a slightly smaller computational time for the three datasets, Airfoil, "
        "Kin8nm and Yacht",
        "Section 6.2", "2", "srt_l2", "orrt", 3, slower_on, "airfoil, kin8nm, yacht",
        names=("airfoil", "kin8nm", "yacht"),
    ),
    Sentence(
        "outperforms ORT-L in terms of average testing R² (by at least 6%) and in terms of average "
        "computational time (by at least 50%)",
        "Section 6.2, first group", "2", "srt_l2", "ort_l", 3, least_time_saved, "at least 50 %",
        49.5, datasets=_FIRST_GROUP,
    ),
    Sentence(
        "SRT ℓ₂ leads to slightly higher or equal average testing R²",
        "Section 6.2, second group", "2", "srt_l2", "ort_l", 3, least_lead, "at least 0", 0.0,
        datasets=_SECOND_GROUP,
    ),
    Sentence(
        "considerable average speedup factors, ranging from 3 to 10",
        "Section 6.2, second group", "2", "srt_l2", "ort_l", 3, largest_speedup, "at most 10",
        2.5, 10.5, datasets=_SECOND_GROUP,
    ),
    Sentence(
        "in the four cases where ORT-L leads to higher average testing R²",
        "Section 6.2, on Table 3", "C.4", "srt_l2", "ort_l", 2, losses, "4 data sets", 4, 4,
    ),
    Sentence(
        "SRT ℓ₂ leads to a higher testing R² for 10 out of 15 datasets",
        "Section 6.2, on Table 3", "2", "srt_l2", "ort_l", 3, wins, "10 data sets", 10, 10,
    ),
    *(
        Sentence(
            "at least two orders of magnitude higher",
            f"Appendix E (D = {depth})", "E.7", "ort_l", "ort_lh", depth, least_speedup,
            "at least 100 times", 100.0,
        )
        for depth in (2, 3)
    ),
    Sentence(
        "SRT ℓ₂ achieves better testing R² on 8 out of 15 datasets for depth D = 2",
        "Appendix G", "G.9", "srt_l2", "random_forest", 2, wins, "8 data sets", 8, 8,
    ),
    Sentence(
        "and on 9 out of 15 datasets for depth D = 3",
        "Appendix G", "G.9", "srt_l2", "random_forest", 3, wins, "9 data sets", 9, 9,
    ),
    Sentence(
        "a small group of datasets, consisting of Auto-mpg, Compact, Cpu small, Delta, and Housing "
        "where RF achieves a slightly higher level",
        "Appendix G", "G.9", "srt_l2", "random_forest", 3, lost_on,
        "auto_mpg, compactiv, cpu_small, delta_ailerons, housing",
        names=("auto_mpg", "compactiv", "cpu_small", "delta_ailerons", "housing"),
    ),
    Sentence(
        "but it is never more than 0.6%",
        "Appendix G", "G.9", "srt_l2", "random_forest", 3, least_lead, "at least −0.006", -0.0065,
    ),
)  # fmt: skip

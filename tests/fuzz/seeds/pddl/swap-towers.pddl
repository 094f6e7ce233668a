; Two towers of eight swap their halves; upper-case names and the spellings of
; older files. Too many blocks for the model's vocabulary.
(DEFINE (PROBLEM SWAP-TOWERS)
  (:DOMAIN BLOCKS)
  (:OBJECTS A B C D E F G H I J K L M N O P)
  (:INIT
    (ONTABLE A) (ON B A) (ON C B) (ON D C) (ON E D) (ON F E) (ON G F) (ON H G) (CLEAR H)
    (ONTABLE I) (ON J I) (ON K J) (ON L K) (ON M L) (ON N M) (ON O N) (ON P O) (CLEAR P)
    (HANDEMPTY))
  (:GOAL (AND
    (ON B A) (ON C B) (ON D C) (ON M D) (ON N M) (ON O N) (ON P O) (CLEAR P)
    (ON J I) (ON K J) (ON L K) (ON E L) (ON F E) (ON G F) (ON H G) (CLEAR H))))
